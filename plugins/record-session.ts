import type { AgentEvent, ProcessEnd, Say, Session, Verdict } from '../core/backend/contract.ts'
import { createKeptText, type KeptText } from '../core/backend/kept-text.ts'
import type { OpenTools } from './open-tools.ts'
import { type Fields, parseRecords } from './record.ts'

/** A vendor's part of a conversation: what its records mean, and how they end. */
export interface Reader {
  readonly tools: OpenTools
  /** What one record of stdout tells. `terminal` stands last, and again for each record that may follow the end. */
  read(record: Fields): readonly AgentEvent[]
  /** What one line of stderr tells; nothing if it is left out. */
  grumble?(line: string): readonly AgentEvent[]
  judge(end: ProcessEnd): Verdict
}

/** One headless run: the prompt on stdin, then one JSON record a line. */
export class RecordSession implements Session {
  readonly #prompt: string
  readonly #reader: Reader
  /** Everything on stdout, until the assistant speaks. */
  #unread: KeptText | null = createKeptText()
  /** The last thing said was that the agent is done. */
  #done = false

  constructor(prompt: string, reader: Reader) {
    this.#prompt = prompt
    this.#reader = reader
  }

  start(): readonly Say[] {
    return [{ write: this.#prompt }, { closeStdin: true }]
  }

  line(stream: 'out' | 'err', text: string): readonly Say[] {
    if (stream === 'err') return says(this.#reader.grumble?.(text) ?? [])
    this.#unread?.add(text)
    return parseRecords(text).flatMap((record) => says(this.#read(record)))
  }

  ask(): readonly Say[] {
    return []
  }

  end(end: ProcessEnd): { readonly says: readonly Say[]; readonly verdict: Verdict } {
    const verdict = this.#reader.judge(end)
    const whole = verdict.ok ? this.#unread?.text() : undefined
    return { says: whole ? says([{ type: 'final', text: whole }]) : [], verdict }
  }

  #read(record: Fields): readonly AgentEvent[] {
    const events = this.#reader.read(record)
    if (events.some((event) => event.type === 'final')) this.#unread = null
    // A record that tells nothing still takes back that the agent is done.
    const mustSpeak = this.#done && events.length === 0
    this.#done = events.at(-1)?.type === 'terminal'
    return mustSpeak ? [{ type: 'open', count: this.#reader.tools.count }] : events
  }
}

function says(events: readonly AgentEvent[]): readonly Say[] {
  return events.map((event) => ({ event }))
}

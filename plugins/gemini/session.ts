import type {
  AgentEvent,
  FailureClass,
  ProcessEnd,
  Say,
  Session,
  Usage,
  Verdict,
} from '../../core/backend/contract.ts'
import { createKeptText, type KeptText } from '../../core/backend/kept-text.ts'
import { namedSession } from '../named-session.ts'
import { type Fields, fieldsOf, numberOf, parseRecords, textOf } from '../record.ts'
import { statusClass } from '../trouble.ts'
import { type Heard, judge } from './failure.ts'

/** One headless run with `--output-format stream-json`: one JSON record a line; retries stand on stderr only. */
export class GeminiSession implements Session {
  readonly #prompt: string
  readonly #tools = new Set<string>()
  #result: Fields | null = null
  #spoiled: Heard['spoiled'] = null
  #modelMissing = false
  /** First line on stderr that is no remark about the terminal or the mode. */
  #complaint = ''
  /** What the assistant said since the last tool answered, and before. */
  #speech = ''
  #earlier = ''
  /** Everything on stdout, until the assistant speaks. */
  #unread: KeptText | null = createKeptText()
  /** The last thing said was that the agent is done. */
  #done = false

  constructor(prompt: string) {
    this.#prompt = prompt
  }

  start(): readonly Say[] {
    return [{ write: this.#prompt }, { closeStdin: true }]
  }

  line(stream: 'out' | 'err', text: string): readonly Say[] {
    if (stream === 'err') return this.#grumble(text).map((event) => ({ event }))
    this.#unread?.add(text)
    return parseRecords(text).flatMap((record) => this.#read(record).map((event) => ({ event })))
  }

  ask(): readonly Say[] {
    return []
  }

  end(end: ProcessEnd): { readonly says: readonly Say[]; readonly verdict: Verdict } {
    const verdict = judge(this.#heard(), end)
    const whole = verdict.ok ? this.#unread?.text() : undefined
    const text = this.#final() || whole || ''
    return { says: text === '' ? [] : [{ event: { type: 'final', text } }], verdict }
  }

  #heard(): Heard {
    return {
      result: this.#result,
      spoiled: this.#spoiled,
      modelMissing: this.#modelMissing,
      complaint: this.#complaint,
    }
  }

  #read(record: Fields): readonly AgentEvent[] {
    const events = this.#eventsOf(record)
    const isResult = record.type === 'result'
    // A record that tells nothing still takes back that the agent is done.
    const mustSpeak = this.#done && !isResult && events.length === 0
    this.#done = isResult
    return mustSpeak ? [{ type: 'open', count: this.#tools.size }] : events
  }

  #eventsOf(record: Fields): readonly AgentEvent[] {
    switch (record.type) {
      case 'init':
        return namedSession(record, 'session_id')
      case 'message':
        return this.#spoken(record)
      case 'tool_use':
        return this.#toolStarted(record)
      case 'tool_result':
        return this.#toolEnded(record)
      case 'error':
        return this.#warned(textOf(record, 'message') ?? 'an error')
      case 'result':
        return this.#ended(record)
      default:
        return []
    }
  }

  /** The prompt is echoed as a message of the user's. */
  #spoken(record: Fields): readonly AgentEvent[] {
    const text = textOf(record, 'content')
    if (record.role !== 'assistant' || text === undefined) return []
    this.#unread = null
    this.#speech += text
    return [{ type: 'text', text }]
  }

  #toolStarted(record: Fields): readonly AgentEvent[] {
    const id = textOf(record, 'tool_id') ?? ''
    this.#tools.add(id)
    const input = JSON.stringify(record.parameters ?? {})
    return [
      { type: 'tool_start', id, name: textOf(record, 'tool_name') ?? 'tool', input },
      { type: 'open', count: this.#tools.size },
    ]
  }

  /** A command that fails is a `success` too: only the tool's own failure shows. */
  #toolEnded(record: Fields): readonly AgentEvent[] {
    const id = textOf(record, 'tool_id') ?? ''
    this.#tools.delete(id)
    this.#beginSpeech()
    const output = textOf(record, 'output') ?? textOf(fieldsOf(record, 'error'), 'message') ?? ''
    return [
      { type: 'tool_end', id, output, isError: record.status === 'error' },
      { type: 'open', count: this.#tools.size },
    ]
  }

  #warned(message: string): readonly AgentEvent[] {
    if (/loop detected/i.test(message)) this.#spoiled = { class: 'unknown', message }
    return [{ type: 'error', class: 'unknown', message }]
  }

  #ended(record: Fields): readonly AgentEvent[] {
    this.#result = record
    this.#tools.clear()
    const final = this.#final()
    return [
      { type: 'usage', usage: usageOf(fieldsOf(record, 'stats')) },
      ...(final === '' ? [] : [{ type: 'final', text: final } as const]),
      { type: 'open', count: 0 },
      { type: 'terminal' },
    ]
  }

  #grumble(line: string): readonly AgentEvent[] {
    if (this.#complaint === '' && !isRemark(line)) this.#complaint = line
    if (/ModelNotFoundError/.test(line)) this.#modelMissing = true
    if (/stdin input truncated/i.test(line))
      this.#spoiled = { class: 'context_too_long', message: `the prompt was cut: ${line.trim()}` }
    const [whole, attempt, status] = /^Attempt (\d+) failed(?: with status (\d+))?/.exec(line) ?? []
    if (whole === undefined) return []
    // The request is made anew, and what it has said so far will come again.
    this.#speech = ''
    const reason: FailureClass = status === undefined ? 'network' : statusClass(Number(status))
    return [{ type: 'retrying', class: reason, attempt: Number(attempt) }]
  }

  #beginSpeech(): void {
    if (this.#speech.trim() !== '') this.#earlier = this.#speech
    this.#speech = ''
  }

  #final(): string {
    return this.#speech.trim() || this.#earlier.trim()
  }
}

/** Every run begins with some of these on stderr. */
function isRemark(line: string): boolean {
  return line.trim() === '' || /^(Warning:|YOLO mode|Approval mode|Ripgrep|\[STARTUP\])/.test(line)
}

/** `input_tokens` includes what came from the cache. What was thought counts as output and stands in the total only. */
function usageOf(stats: Fields): Usage {
  const input = numberOf(stats, 'input_tokens') ?? 0
  const output = numberOf(stats, 'output_tokens') ?? 0
  const total = numberOf(stats, 'total_tokens') ?? 0
  return {
    input,
    output: Math.max(output, total - input),
    cacheRead: numberOf(stats, 'cached') ?? 0,
    cacheWrite: 0,
    context: 0,
  }
}

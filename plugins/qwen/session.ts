import type { AgentEvent, ProcessEnd, Say, Session, Verdict } from '../../core/backend/contract.ts'
import { judgeSilence } from '../process-end.ts'
import { type Fields, fieldsOf, listOf, numberOf, parseRecords, textOf } from '../record.ts'
import { StreamJsonSession } from '../stream-json.ts'
import { judgeTrouble, troubleClass } from '../trouble.ts'

/**
 * One headless run with `--output-format stream-json`, in the format of Claude Code but for three things: tokens read from
 * a cache count as input, an error of the API is a message of the assistant's, and retries stand on stderr only.
 */
export class QwenSession implements Session {
  readonly #inner: StreamJsonSession
  #ended = false
  /** What it said of arguments that it does not know, before all of its help. */
  #refusal = ''
  /** Error of the last result. */
  #trouble = ''

  constructor(prompt: string) {
    this.#inner = new StreamJsonSession(prompt)
  }

  start(): readonly Say[] {
    return this.#inner.start()
  }

  line(stream: 'out' | 'err', text: string): readonly Say[] {
    if (stream === 'err') {
      if (/^Unknown arguments?:/.test(text)) this.#refusal = text
      return retryOf(text)
    }
    const records = parseRecords(text)
    if (records.length === 0) return this.#inner.line(stream, text)
    return records.flatMap((record) => this.#read(record))
  }

  ask(): readonly Say[] {
    return this.#inner.ask()
  }

  end(end: ProcessEnd): { readonly says: readonly Say[]; readonly verdict: Verdict } {
    const { says, verdict } = this.#inner.end(end)
    if (!this.#ended) return { says, verdict: judgeUnended(end, this.#refusal) }
    return { says, verdict: verdict.ok || this.#trouble === '' ? verdict : judgeTrouble(this.#trouble) }
  }

  #read(record: Fields): readonly Say[] {
    const message = apiErrorOf(record)
    if (message !== null) return [{ event: { type: 'error', class: troubleClass(message), message } }]
    if (record.type === 'result') {
      this.#ended = true
      this.#trouble = textOf(fieldsOf(record, 'error'), 'message') ?? ''
    }
    return this.#inner.line('out', JSON.stringify(translated(record)))
  }
}

/** `[API Error: 401 invalid x-api-key]`, as the only words of a message. */
function apiErrorOf(record: Fields): string | null {
  if (record.type !== 'assistant') return null
  const [block, ...others] = listOf(fieldsOf(record, 'message'), 'content')
  const text = block === undefined || others.length > 0 ? undefined : textOf(block, 'text')
  return text !== undefined && /^\[API Error: .*\]$/s.test(text.trim()) ? text.trim() : null
}

function translated(record: Fields): Fields {
  switch (record.type) {
    case 'assistant': {
      const message = fieldsOf(record, 'message')
      return { ...record, message: { ...message, usage: withoutCache(fieldsOf(message, 'usage')) } }
    }
    case 'result':
      return { ...record, usage: withoutCache(fieldsOf(record, 'usage')) }
    default:
      return record
  }
}

function withoutCache(usage: Fields): Fields {
  const input = numberOf(usage, 'input_tokens')
  if (input === undefined) return usage
  return { ...usage, input_tokens: Math.max(0, input - (numberOf(usage, 'cache_read_input_tokens') ?? 0)) }
}

/** At its turn limit it exits without a result. */
function judgeUnended(end: ProcessEnd, refusal: string): Verdict {
  const stderrTail = refusal || end.stderrTail.replace(/^Ripgrep not available.*$/gm, '')
  const verdict = judgeSilence({ ...end, stderrTail })
  return verdict.ok || end.exitCode !== 53 ? verdict : { ...verdict, class: 'turn_limit' }
}

/** `Retrying in 60s (attempt 1/10): [API Error: 429 …]` */
function retryOf(line: string): readonly Say[] {
  const [whole, seconds, attempt, reason = ''] =
    /^Retrying in ([\d.]+)s \(attempt (\d+)\/\d+\): (.*)$/.exec(line) ?? []
  if (whole === undefined) return []
  const event: AgentEvent = {
    type: 'retrying',
    class: troubleClass(reason),
    attempt: Number(attempt),
    delayMs: Number(seconds) * 1000,
  }
  return [{ event }]
}

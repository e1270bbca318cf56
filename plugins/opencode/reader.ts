import type { AgentEvent, FailureClass, ProcessEnd, Usage, Verdict } from '../../core/backend/contract.ts'
import { namedSession } from '../named-session.ts'
import { OpenTools } from '../open-tools.ts'
import { judgeSilence, judgeSuccess } from '../process-end.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../record.ts'
import type { Reader } from '../record-session.ts'
import { judgeTrouble, troubleClass } from '../trouble.ts'

/**
 * The records of `opencode run --format json`. It has no last record: a step that finished for another reason than to use
 * tools is the end. Success: the reason of the last step is `stop`, no error after it, exit 0.
 */
export class OpencodeReader implements Reader {
  readonly tools = new OpenTools()
  #reason: string | null = null
  #error: Fields | null = null
  #usage = NOTHING
  #usd = 0
  #turns = 0
  /** Text of the assistant's last message so far. */
  #message = { id: '', text: '' }

  read(record: Fields): readonly AgentEvent[] {
    const part = fieldsOf(record, 'part')
    switch (record.type) {
      case 'step_start':
        this.#reason = null
        this.#error = null
        return namedSession(record, 'sessionID')
      case 'text':
        return this.#spoken(part)
      case 'reasoning':
        return [{ type: 'thinking', text: textOf(part, 'text') ?? '' }]
      case 'tool_use':
        return this.#toolUsed(part)
      case 'step_finish':
        return this.#finished(part)
      case 'error':
        this.#error = fieldsOf(record, 'error')
        return []
      default:
        return []
    }
  }

  judge(end: ProcessEnd): Verdict {
    if (this.#error !== null) return judgeError(this.#error)
    switch (this.#reason) {
      case 'stop':
        return judgeSuccess(end)
      case null:
      case 'tool-calls':
        return judgeSilence(end)
      case 'content-filter':
        return { ok: false, class: 'refusal', message: 'the model refused: content-filter' }
      default:
        return { ok: false, class: 'unknown', message: `the model stopped: ${this.#reason}` }
    }
  }

  #spoken(part: Fields): readonly AgentEvent[] {
    const id = textOf(part, 'messageID') ?? ''
    const text = textOf(part, 'text') ?? ''
    const earlier = id !== '' && id === this.#message.id ? `${this.#message.text}\n` : ''
    this.#message = { id, text: earlier + text }
    return [
      { type: 'text', text },
      { type: 'final', text: this.#message.text.trim() },
    ]
  }

  /** A tool is told of when it has answered. */
  #toolUsed(part: Fields): readonly AgentEvent[] {
    const id = textOf(part, 'callID') ?? ''
    const state = fieldsOf(part, 'state')
    const failed = state.status === 'error'
    const output = textOf(state, failed ? 'error' : 'output') ?? ''
    const exit = numberOf(fieldsOf(state, 'metadata'), 'exit') ?? 0
    return [
      ...this.tools.start(id, textOf(part, 'tool') ?? 'tool', state.input),
      ...this.tools.end(id, output, failed || exit !== 0),
    ]
  }

  #finished(part: Fields): readonly AgentEvent[] {
    this.#reason = textOf(part, 'reason') ?? 'no reason given'
    this.#usage = withStep(this.#usage, fieldsOf(part, 'tokens'))
    this.#usd += numberOf(part, 'cost') ?? 0
    this.#turns += 1
    return [
      { type: 'usage', usage: this.#usage },
      { type: 'cost', usd: this.#usd },
      { type: 'turns', turns: this.#turns },
      ...(this.#reason === 'tool-calls' ? [] : [{ type: 'terminal' } as const]),
    ]
  }
}

function judgeError(error: Fields): Verdict {
  const data = fieldsOf(error, 'data')
  const told = textOf(data, 'message') ?? textOf(error, 'message') ?? textOf(error, 'name') ?? 'an error'
  const reason = errorClass(textOf(error, 'name') ?? '', data, told)
  const seconds = Number(textOf(fieldsOf(data, 'responseHeaders'), 'retry-after') ?? Number.NaN)
  return judgeTrouble(told, reason, ...(Number.isFinite(seconds) ? [seconds * 1000] : []))
}

function errorClass(name: string, data: Fields, message: string): FailureClass {
  switch (name) {
    case 'ProviderAuthError':
      return 'auth'
    case 'ContextOverflowError':
      return 'context_too_long'
    case 'ProviderModelNotFoundError':
    case 'ModelNotFoundError':
      return 'model'
  }
  const words = `${message} ${textOf(data, 'responseBody') ?? ''}`
  return troubleClass(words, numberOf(data, 'statusCode'))
}

const NOTHING: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, context: 0 }

/** `input` leaves out what the cache held, `output` what was thought. */
function withStep(sum: Usage, tokens: Fields): Usage {
  const cache = fieldsOf(tokens, 'cache')
  const [cacheRead, cacheWrite] = [numberOf(cache, 'read') ?? 0, numberOf(cache, 'write') ?? 0]
  const input = (numberOf(tokens, 'input') ?? 0) + cacheRead + cacheWrite
  return {
    input: sum.input + input,
    output: sum.output + (numberOf(tokens, 'output') ?? 0) + (numberOf(tokens, 'reasoning') ?? 0),
    cacheRead: sum.cacheRead + cacheRead,
    cacheWrite: sum.cacheWrite + cacheWrite,
    context: Math.max(sum.context, input),
  }
}

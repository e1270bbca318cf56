import type { AgentEvent, FailureClass, ProcessEnd, Verdict } from '../../core/backend/contract.ts'
import { OpenTools } from '../open-tools.ts'
import { judgeSilence, judgeSuccess } from '../process-end.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../record.ts'
import type { Reader } from '../record-session.ts'
import { judgeTrouble, troubleClass } from '../trouble.ts'

/** The records of `copilot --output-format json`; what they tell stands in `data`. Success: a `result` with exit code 0, and exit 0. */
export class CopilotReader implements Reader {
  readonly tools = new OpenTools()
  #exitCode: number | null = null
  /** The last `session.error` since the model last answered. */
  #error: Fields | null = null
  /** What the provider last answered a call with. */
  #failure: Fields = {}
  #turns = 0
  /** The message whose text came in pieces. */
  #streamed = ''

  read(record: Fields): readonly AgentEvent[] {
    const data = fieldsOf(record, 'data')
    switch (record.type) {
      case 'assistant.message_delta':
        this.#streamed = textOf(data, 'messageId') ?? ''
        return [{ type: 'text', text: textOf(data, 'deltaContent') ?? '' }]
      case 'assistant.reasoning_delta':
        return [{ type: 'thinking', text: textOf(data, 'deltaContent') ?? '' }]
      case 'assistant.message':
        return this.#spoken(data)
      case 'assistant.turn_end':
        this.#turns += 1
        return [{ type: 'turns', turns: this.#turns }]
      case 'tool.execution_start':
        return this.tools.start(idOf(data), textOf(data, 'toolName') ?? 'tool', data.arguments)
      case 'tool.execution_complete':
        return this.#toolEnded(data)
      case 'model.call_failure':
        this.#failure = data
        return []
      case 'assistant.turn_retry':
        return [this.#retry()]
      case 'session.error':
        this.#error = data
        return []
      case 'result':
        this.#exitCode = numberOf(record, 'exitCode') ?? null
        return [{ type: 'terminal' }]
      default:
        return []
    }
  }

  judge(end: ProcessEnd): Verdict {
    if (this.#exitCode === null && this.#error === null) return judgeSilence(end)
    if (this.#exitCode === 0 && this.#error === null) return judgeSuccess(end)
    const told = textOf(this.#error ?? {}, 'message') ?? `exit code ${this.#exitCode} in its result`
    return judgeTrouble(told, errorClass(this.#error ?? {}, told))
  }

  #spoken(data: Fields): readonly AgentEvent[] {
    this.#error = null
    const text = textOf(data, 'content') ?? ''
    if (text.trim() === '') return []
    const inPieces = this.#streamed !== '' && this.#streamed === textOf(data, 'messageId')
    return [...(inPieces ? [] : [{ type: 'text', text } as const]), { type: 'final', text: text.trim() }]
  }

  /** A command that fails is a `success` too. */
  #toolEnded(data: Fields): readonly AgentEvent[] {
    const error = fieldsOf(data, 'error')
    const complaint = textOf(error, 'message') ?? ''
    const output = textOf(fieldsOf(data, 'result'), 'content') ?? complaint
    const exit = numberOf(fieldsOf(data, 'shellExecution'), 'exitCode') ?? 0
    const denied: readonly AgentEvent[] =
      error.code === 'denied' ? [{ type: 'error', class: 'tool_permission', message: complaint }] : []
    return [...denied, ...this.tools.end(idOf(data), output, data.success === false || exit !== 0)]
  }

  #retry(): AgentEvent {
    const words = textOf(this.#failure, 'errorMessage') ?? ''
    const attempt = (numberOf(this.#failure, 'retryAttempt') ?? 0) + 1
    return { type: 'retrying', class: troubleClass(words, numberOf(this.#failure, 'statusCode')), attempt }
  }
}

function idOf(data: Fields): string {
  return textOf(data, 'toolCallId') ?? ''
}

function errorClass(error: Fields, message: string): FailureClass {
  const reason = troubleClass(message, numberOf(error, 'statusCode'))
  if (reason !== 'unknown') return reason
  switch (textOf(error, 'errorType')) {
    case 'authentication':
    case 'authorization':
      return 'auth'
    case 'rate_limit':
      return 'rate_limit'
    case 'quota':
      return 'quota'
    case 'context_limit':
      return 'context_too_long'
    default:
      return 'unknown'
  }
}

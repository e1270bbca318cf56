import type { AgentEvent, ProcessEnd, Usage, Verdict } from '../../core/backend/contract.ts'
import { OpenTools } from '../open-tools.ts'
import { judgeSilence, judgeSuccess } from '../process-end.ts'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../record.ts'
import type { Reader } from '../record-session.ts'
import { judgeTrouble, troubleClass } from '../trouble.ts'

/**
 * The records of `pi --mode json`. It exits with 0 whatever its model's provider answers.
 * Success: the agent came to its end, and its last message stopped by itself.
 */
export class PiReader implements Reader {
  readonly tools = new OpenTools()
  /** The assistant's last message. */
  #message: Fields | null = null
  #ended = false
  #usage = NOTHING
  #usd = 0
  #turns = 0

  read(record: Fields): readonly AgentEvent[] {
    const id = textOf(record, 'toolCallId') ?? ''
    switch (record.type) {
      case 'agent_start':
      case 'turn_start':
        this.#ended = false
        return []
      case 'message_update':
        return updateOf(fieldsOf(record, 'assistantMessageEvent'))
      case 'message_end':
        return this.#spoken(fieldsOf(record, 'message'))
      case 'tool_execution_start':
        return this.tools.start(id, textOf(record, 'toolName') ?? 'tool', record.args)
      case 'tool_execution_end':
        return this.tools.end(id, textsIn(fieldsOf(record, 'result')), record.isError === true)
      case 'auto_retry_start':
        return [retryOf(record)]
      // What it says when it is at its end, and, in newer releases, once more when nothing can follow.
      case 'agent_end':
        this.#ended = record.willRetry !== true
        return this.#ended ? [{ type: 'terminal' }] : []
      case 'auto_retry_end':
      case 'agent_settled':
        return this.#ended ? [{ type: 'terminal' }] : []
      default:
        return []
    }
  }

  judge(end: ProcessEnd): Verdict {
    const message = this.#message ?? {}
    if (!this.#ended) return judgeSilence(end)
    switch (textOf(message, 'stopReason')) {
      case 'error':
        return judgeTrouble(textOf(message, 'errorMessage') ?? 'an error')
      case 'aborted':
        return { ok: false, class: 'unknown', message: 'aborted' }
      case 'length':
        return { ok: false, class: 'unknown', message: 'the answer was cut at its longest' }
      case 'stop':
        return judgeSuccess(end)
      default:
        return judgeSilence(end)
    }
  }

  /** Of the messages, the assistant's alone: the prompt and the answers of tools are told as messages too. */
  #spoken(message: Fields): readonly AgentEvent[] {
    if (message.role !== 'assistant') return []
    this.#message = message
    this.#turns += 1
    const usage = fieldsOf(message, 'usage')
    this.#usage = withMessage(this.#usage, usage)
    this.#usd += numberOf(fieldsOf(usage, 'cost'), 'total') ?? 0
    const text = textsIn(message).trim()
    return [
      { type: 'usage', usage: this.#usage },
      { type: 'cost', usd: this.#usd },
      { type: 'turns', turns: this.#turns },
      ...(text === '' ? [] : [{ type: 'final', text } as const]),
    ]
  }
}

function updateOf(update: Fields): readonly AgentEvent[] {
  const text = textOf(update, 'delta') ?? ''
  switch (update.type) {
    case 'text_delta':
      return [{ type: 'text', text }]
    case 'thinking_delta':
      return [{ type: 'thinking', text }]
    default:
      return []
  }
}

function retryOf(record: Fields): AgentEvent {
  const delayMs = numberOf(record, 'delayMs')
  return {
    type: 'retrying',
    class: troubleClass(textOf(record, 'errorMessage') ?? ''),
    attempt: numberOf(record, 'attempt') ?? 1,
    ...(delayMs === undefined ? {} : { delayMs }),
  }
}

/** Text blocks of a message or a tool's result. */
function textsIn(holder: Fields): string {
  return listOf(holder, 'content')
    .flatMap((block) => (block.type === 'text' ? (textOf(block, 'text') ?? []) : []))
    .join('\n')
}

const NOTHING: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, context: 0 }

/** `input` leaves out what the cache held. */
function withMessage(sum: Usage, usage: Fields): Usage {
  const [cacheRead, cacheWrite] = [numberOf(usage, 'cacheRead') ?? 0, numberOf(usage, 'cacheWrite') ?? 0]
  const input = (numberOf(usage, 'input') ?? 0) + cacheRead + cacheWrite
  return {
    input: sum.input + input,
    output: sum.output + (numberOf(usage, 'output') ?? 0),
    cacheRead: sum.cacheRead + cacheRead,
    cacheWrite: sum.cacheWrite + cacheWrite,
    context: Math.max(sum.context, input),
  }
}

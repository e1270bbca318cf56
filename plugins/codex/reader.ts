import type { AgentEvent, ProcessEnd, Usage, Verdict } from '../../core/backend/contract.ts'
import { namedSession } from '../named-session.ts'
import { OpenTools } from '../open-tools.ts'
import { judgeSilence, judgeSuccess } from '../process-end.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../record.ts'
import type { Reader } from '../record-session.ts'
import { judgeTrouble, troubleClass } from '../trouble.ts'

/** The records of `codex exec --json`. Success: the last turn was completed, exit 0. */
export class CodexReader implements Reader {
  readonly tools = new OpenTools()
  #turn: 'completed' | 'failed' | null = null
  #trouble = ''
  readonly #before: Usage | null

  /** `before`: what the conversation had used when it was gone on with; the program's own figures include it. */
  constructor(before: Usage | null = null) {
    this.#before = before
  }

  read(record: Fields): readonly AgentEvent[] {
    switch (record.type) {
      case 'thread.started':
        return namedSession(record, 'thread_id')
      case 'turn.started':
        this.#turn = null
        return []
      case 'item.started':
      case 'item.updated':
        return this.#started(fieldsOf(record, 'item'))
      case 'item.completed':
        return this.#completed(fieldsOf(record, 'item'))
      case 'error':
        return retryOf(textOf(record, 'message') ?? '')
      case 'turn.completed':
        this.#turn = 'completed'
        return [
          { type: 'usage', usage: usageOf(fieldsOf(record, 'usage'), this.#before) },
          { type: 'terminal' },
        ]
      case 'turn.failed':
        this.#turn = 'failed'
        this.#trouble = textOf(fieldsOf(record, 'error'), 'message') ?? ''
        return [{ type: 'terminal' }]
      default:
        return []
    }
  }

  judge(end: ProcessEnd): Verdict {
    if (this.#turn === 'completed') return judgeSuccess(end)
    if (this.#turn === null) return judgeSilence(end)
    return judgeTrouble(this.#trouble || 'the turn failed')
  }

  #started(item: Fields): readonly AgentEvent[] {
    const id = textOf(item, 'id') ?? ''
    const tool = toolOf(item)
    return tool === null || this.tools.has(id) ? [] : this.tools.start(id, tool.name, tool.input)
  }

  #completed(item: Fields): readonly AgentEvent[] {
    const text = textOf(item, 'text') ?? ''
    switch (item.type) {
      case 'agent_message':
        return [
          { type: 'text', text },
          { type: 'final', text: text.trim() },
        ]
      case 'reasoning':
        return [{ type: 'thinking', text }]
      // Mostly a warning: a model that it does not know, say. A turn that fails says so itself.
      case 'error':
        return [{ type: 'error', class: 'unknown', message: textOf(item, 'message') ?? 'an error' }]
    }
    const tool = toolOf(item)
    if (tool === null) return []
    const began = this.#started(item)
    return [...began, ...this.tools.end(textOf(item, 'id') ?? '', tool.output, tool.isError)]
  }
}

/** `Reconnecting... 1/5 (unexpected status 503 …)`. What else it calls an error comes again as the end of its turn. */
function retryOf(message: string): readonly AgentEvent[] {
  const [whole, attempt, reason = ''] = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?/s.exec(message) ?? []
  return whole === undefined
    ? []
    : [{ type: 'retrying', class: troubleClass(reason), attempt: Number(attempt) }]
}

interface Tool {
  readonly name: string
  readonly input: unknown
  readonly output: string
  readonly isError: boolean
}

function toolOf(item: Fields): Tool | null {
  const failed = item.status === 'failed' || item.status === 'declined'
  switch (item.type) {
    case 'command_execution':
      return {
        name: 'shell',
        input: { command: textOf(item, 'command') ?? '' },
        output: textOf(item, 'aggregated_output') ?? '',
        isError: failed || (numberOf(item, 'exit_code') ?? 0) !== 0,
      }
    case 'file_change':
      return { name: 'file_change', input: { changes: item.changes ?? [] }, output: '', isError: failed }
    case 'mcp_tool_call':
      return {
        name: `${textOf(item, 'server') ?? 'mcp'}.${textOf(item, 'tool') ?? 'tool'}`,
        input: item.arguments,
        output: textOf(fieldsOf(item, 'error'), 'message') ?? JSON.stringify(item.result ?? ''),
        isError: failed,
      }
    case 'web_search':
      return { name: 'web_search', input: { query: item.query ?? '' }, output: '', isError: failed }
    default:
      return null
  }
}

/** Totals of the session, less `before`. `input_tokens` includes what came from the cache, `output_tokens` what was thought. */
function usageOf(usage: Fields, before: Usage | null): Usage {
  const since = (name: string, spent = 0): number => Math.max(0, (numberOf(usage, name) ?? 0) - spent)
  return {
    input: since('input_tokens', before?.input),
    output: since('output_tokens', before?.output),
    cacheRead: since('cached_input_tokens', before?.cacheRead),
    cacheWrite: since('cache_write_input_tokens', before?.cacheWrite),
    context: 0,
  }
}

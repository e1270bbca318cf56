import type { AgentEvent, ProcessEnd, Say, Session, Verdict } from '../core/backend/contract.ts'
import { createKeptText, type KeptText } from '../core/backend/kept-text.ts'
import { namedSession } from './named-session.ts'
import { OpenWork } from './open-work.ts'
import { type Fields, fieldsOf, listOf, numberOf, parseRecords, textOf } from './record.ts'
import { apiClass, isError, judge } from './stream-json-failure.ts'
import { Spending } from './stream-json-spending.ts'

/** One headless run with `--output-format stream-json`, of Claude Code or a program that speaks its format: one JSON record a line, `type` anywhere in it, several results. */
export class StreamJsonSession implements Session {
  readonly #prompt: string
  readonly #spentUsd: number
  readonly #spending = new Spending()
  readonly #open = new OpenWork()
  #result: Fields | null = null
  #apiError: Fields | null = null
  #turns = 0
  /** Text of the assistant's last message so far. */
  #message = { id: '', text: '' }
  /** Everything on stdout, until there is an assistant message. */
  #unread: KeptText | null = createKeptText()
  /** The last thing said was that the agent is done. */
  #done = false

  /** `spentUsd`: what the conversation had cost when it was gone on with; the program's own figure includes it. */
  constructor(prompt: string, spentUsd = 0) {
    this.#prompt = prompt
    this.#spentUsd = spentUsd
  }

  start(): readonly Say[] {
    return [{ write: this.#prompt }, { closeStdin: true }]
  }

  line(stream: 'out' | 'err', text: string): readonly Say[] {
    if (stream === 'err') return []
    this.#unread?.add(text)
    return parseRecords(text).flatMap((record) => this.#read(record).map((event) => ({ event })))
  }

  ask(): readonly Say[] {
    return []
  }

  end(end: ProcessEnd): { readonly says: readonly Say[]; readonly verdict: Verdict } {
    const verdict = judge({ result: this.#result, apiError: this.#apiError }, end)
    const whole = verdict.ok ? this.#unread?.text() : undefined
    return { says: whole ? [{ event: { type: 'final', text: whole } }] : [], verdict }
  }

  #read(record: Fields): readonly AgentEvent[] {
    const openBefore = this.#open.count
    const events = this.#eventsOf(record)
    const isResult = record.type === 'result'
    // A record that tells nothing still takes back that the agent is done.
    const mustSpeak = this.#done && !isResult && events.length === 0
    this.#done = isResult
    const open: readonly AgentEvent[] =
      this.#open.count !== openBefore || mustSpeak ? [{ type: 'open', count: this.#open.count }] : []
    return [...events, ...open, ...(isResult ? [{ type: 'terminal' } as const] : [])]
  }

  #eventsOf(record: Fields): readonly AgentEvent[] {
    switch (record.type) {
      case 'assistant':
        return this.#assistant(record)
      case 'user':
        return this.#toolResults(record)
      case 'result':
        return this.#resultEvents(record)
      case 'system':
        this.#open.system(record)
        if (record.subtype === 'model_fallback') return [fallbackOf(record)]
        if (record.subtype !== 'init') return retryOf(record)
        // Another turn, which has a result of its own: the one before says nothing of it.
        this.#result = null
        return namedSession(record, 'session_id')
      default:
        return []
    }
  }

  #assistant(record: Fields): readonly AgentEvent[] {
    const message = fieldsOf(record, 'message')
    if (record.is_api_error_message === true || textOf(record, 'error') !== undefined) {
      this.#apiError = record
      return [{ type: 'error', class: apiClass(record), message: textsIn(message.content) }]
    }
    this.#apiError = null
    // A sub-agent's words and context are its own; the answer is the main conversation's.
    const isMain = typeof record.parent_tool_use_id !== 'string'
    const events = listOf(message, 'content').flatMap((block) => this.#block(block))
    return isMain ? [...events, ...this.#mainMessage(message)] : events
  }

  #block(block: Fields): readonly AgentEvent[] {
    switch (block.type) {
      case 'text':
        return [{ type: 'text', text: textOf(block, 'text') ?? '' }]
      case 'thinking':
        return [{ type: 'thinking', text: textOf(block, 'thinking') ?? '' }]
      case 'tool_use': {
        const id = textOf(block, 'id') ?? ''
        this.#open.toolStarted(id)
        const input = JSON.stringify(block.input ?? {})
        return [{ type: 'tool_start', id, name: textOf(block, 'name') ?? 'tool', input }]
      }
      default:
        return []
    }
  }

  /** Each record holds one block of a message, whose id and usage repeat. */
  #mainMessage(message: Fields): readonly AgentEvent[] {
    const events: AgentEvent[] = []
    const id = textOf(message, 'id') ?? ''
    const usage = fieldsOf(message, 'usage')
    if (Object.keys(usage).length > 0)
      events.push({ type: 'usage', usage: this.#spending.message(id, usage) })
    const text = textsIn(message.content)
    if (text !== '') {
      const earlier = id !== '' && this.#message.id === id ? `${this.#message.text}\n` : ''
      this.#message = { id, text: earlier + text }
      this.#unread = null
      events.push({ type: 'final', text: this.#message.text.trim() })
    }
    return events
  }

  #toolResults(record: Fields): readonly AgentEvent[] {
    return listOf(fieldsOf(record, 'message'), 'content')
      .filter((block) => block.type === 'tool_result')
      .map((block) => {
        const id = textOf(block, 'tool_use_id') ?? ''
        this.#open.toolEnded(id)
        return { type: 'tool_end', id, output: textsIn(block.content), isError: block.is_error === true }
      })
  }

  #resultEvents(result: Fields): readonly AgentEvent[] {
    this.#result = result
    this.#turns += numberOf(result, 'num_turns') ?? 0
    const events: AgentEvent[] = [
      { type: 'usage', usage: this.#spending.result(fieldsOf(result, 'usage')) },
      { type: 'turns', turns: this.#turns },
    ]
    const usd = numberOf(result, 'total_cost_usd')
    if (usd !== undefined) events.push({ type: 'cost', usd: Math.max(0, usd - this.#spentUsd) })
    const text = textOf(result, 'result')?.trim()
    if (text && !isError(result)) {
      this.#unread = null
      events.push({ type: 'final', text })
    }
    return [...events, ...denialsOf(result)]
  }
}

/** Refused tools do not fail a run, but hardly anyone wants them. */
function denialsOf(result: Fields): readonly AgentEvent[] {
  const denied = listOf(result, 'permission_denials')
  if (denied.length === 0) return []
  const names = [...new Set(denied.map((one) => textOf(one, 'tool_name') ?? 'tool'))].join(', ')
  const message = `${denied.length} tool ${denied.length === 1 ? 'call was' : 'calls were'} denied: ${names}`
  return [{ type: 'error', class: 'tool_permission', message }]
}

/** Another model answers than the one that was asked for: whoever pays must be told. */
function fallbackOf(record: Fields): AgentEvent {
  const [from, to] = [textOf(record, 'original_model'), textOf(record, 'fallback_model')]
  const message = textOf(record, 'content') ?? 'another model answers'
  return { type: 'error', class: 'model', message: from && to ? `${message} (${from} → ${to})` : message }
}

function retryOf(record: Fields): readonly AgentEvent[] {
  if (record.subtype !== 'api_retry') return []
  const attempt = numberOf(record, 'attempt') ?? 1
  const delayMs = numberOf(record, 'retry_delay_ms')
  return [
    { type: 'retrying', class: apiClass(record), attempt, ...(delayMs === undefined ? {} : { delayMs }) },
  ]
}

/** Content is a string or a list of blocks. */
function textsIn(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf({ content }, 'content')
    .flatMap((block) => (block.type === 'text' ? (textOf(block, 'text') ?? []) : []))
    .join('\n')
}

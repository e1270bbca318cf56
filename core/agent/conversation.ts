import type { AgentEvent, Backend, ProcessEnd, Say, Session, Usage } from '../backend/contract.ts'
import { callBackend, checkedSays, type Failure } from './guard.ts'

/** What a session asks of the world, and what its stream means for the clocks. */
export interface Listener {
  event(event: AgentEvent): void
  write(text: string): void
  closeStdin(): void
  /** The stream says that the agent is done. */
  terminal(): void
  /** A later record took that back. */
  resumed(): void
  /** Number of tools and background tasks that are open. */
  open(count: number): void
  /** The session has thrown: it is not called again. */
  broken(failure: Failure): void
}

/** What was said so far; of totals the last one counts. */
export interface Known {
  usage: Usage | null
  costUsd: number | null
  turns: number | null
  final: string | null
  session: string | null
  /** The end of what the agent said as text, where that is not simply its stdout. */
  said: string
}

/** Of `said` at least so many characters are kept, and at most twice as many. */
const SAID = 8192

/** Not cut with each text: that would copy all of it for each line. */
function endOf(said: string): string {
  return said.length > 2 * SAID ? said.slice(-SAID) : said
}

/** One session of a backend, with every call into it guarded. */
export interface Conversation {
  readonly known: Readonly<Known>
  say(says: readonly Say[]): void
  line(stream: 'out' | 'err', text: string): void
  /** The session's judgement; null: ok. Where the session broke, that. */
  end(end: ProcessEnd): Failure | null
}

export function createConversation(backend: Backend, session: Session, listener: Listener): Conversation {
  const known: Known = { usage: null, costUsd: null, turns: null, final: null, session: null, said: '' }
  const isStream = backend.traits.output === 'stream'
  let failure: Failure | null = null

  function say(says: readonly Say[]): void {
    for (const one of says) {
      if ('event' in one) hear(one.event)
      else if ('write' in one) listener.write(one.write)
      else listener.closeStdin()
    }
  }

  function hear(event: AgentEvent): void {
    if (event.type === 'usage') known.usage = event.usage
    else if (event.type === 'cost') known.costUsd = event.usd
    else if (event.type === 'turns') known.turns = event.turns
    else if (event.type === 'final') known.final = event.text
    else if (event.type === 'session') known.session = event.id
    else if (event.type === 'text' && isStream) known.said = endOf(known.said + event.text)
    else if (event.type === 'open') listener.open(event.count)
    listener.event(event)
  }

  return {
    known,
    say,
    line(stream, text) {
      if (failure !== null) return
      const says = callBackend(backend.name, 'open().line', () => checkedSays(session.line(stream, text)))
      if (!says.ok) {
        failure = says.error
        listener.broken(says.error)
        return
      }
      say(says.value)
      if (stream === 'err' || !isStream) return
      if (says.value.some((one) => isEvent(one, 'terminal'))) listener.terminal()
      else if (isOtherRecord(text, says.value)) listener.resumed()
    },
    end(end) {
      if (failure !== null) return failure
      const judged = callBackend(backend.name, 'open().end', () => {
        const { says, verdict } = session.end(end)
        return { says: checkedSays(says), failure: verdict.ok ? null : failureOf(verdict) }
      })
      if (!judged.ok) return judged.error
      say(judged.value.says)
      return judged.value.failure
    },
  }
}

function failureOf({ class: kind, message, retryAfterMs }: Failure): Failure {
  return { class: kind, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** A record that only tells how many tools are open does not say that the agent goes on. */
function isOtherRecord(text: string, says: readonly Say[]): boolean {
  const onlyOpen = says.length > 0 && says.every((one) => isEvent(one, 'open'))
  return text.trimStart().startsWith('{') && !onlyOpen
}

function isEvent(say: Say, type: AgentEvent['type']): boolean {
  return 'event' in say && say.event.type === type
}

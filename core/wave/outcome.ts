import type { AgentEnd, Stray } from '../agent/end.ts'
import { type Blob, blobBytes } from '../blob.ts'
import type { ControlTopics } from '../control.ts'
import type { Event } from '../event.ts'
import type { Hat } from '../hat.ts'
import type { Topic } from '../topic.ts'
import { mayPublish } from './guard.ts'
import type { Cause, Outcome, Status, Work } from './wave.ts'

export interface Judgement {
  readonly work: Work
  readonly end: AgentEnd
  readonly hat: Hat
  readonly control: ControlTopics
  /** Where a final message counts as the result; null: nowhere. */
  readonly finalTopic: Topic | null
  /** Of the worker, seconds; the wave's if that ran out. */
  readonly timeoutSeconds: number
  readonly durationMs: number
}

/** How an item ended (contract/waves §8.1). Written once, from the process's end and what guardrails accepted. */
export function judge(of: Judgement): Outcome {
  const cause = causeOf(of)
  const { events, fromFinalMessage } = resultsOf(of, cause)
  const status = statusOf(of, cause, events)
  return {
    status,
    class: classOf(status),
    cause,
    reason: reasonOf(status, cause, of.end),
    events,
    fromFinalMessage,
    durationMs: of.durationMs,
    ...(cause.kind === 'timeout' ? { timeoutSeconds: cause.seconds } : {}),
    remarks: remarksOf(of, fromFinalMessage),
  }
}

/** The outcome of an item that never had an agent. */
export function neverRan(
  status: 'timeout' | 'exhausted' | 'missing' | 'scope_violation',
  timeoutSeconds?: number,
): Outcome {
  const why = status === 'timeout' ? 'deadline' : status
  return {
    status,
    class: 'failure',
    cause: why === 'missing' ? { kind: 'missing' } : { kind: 'never-started', why },
    reason: NEVER_RAN[status],
    events: [],
    fromFinalMessage: false,
    durationMs: 0,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    remarks: [],
  }
}

/** The outcome of an item that a crash or a stop cut after it had given a result: it does not run again (contract/waves §8.1). */
export function interrupted(work: Work): Outcome {
  return {
    status: 'partial',
    class: 'result',
    cause: { kind: 'stopped', by: 'interrupt' },
    reason: 'interrupted',
    events: work.accepted,
    fromFinalMessage: false,
    durationMs: work.outcome?.durationMs ?? 0,
    remarks: [],
  }
}

const NEVER_RAN = {
  timeout: 'never started (deadline)',
  exhausted: 'never started (max_activations)',
  missing: 'no dispatch line',
  scope_violation: 'its topic is outside the publishes of the hat that dispatched it',
} as const

/** `<error>` of the contract: begins with the status. */
export function errorText(outcome: Outcome): string {
  return outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`
}

/** True for an end that a provider or the system may not repeat: which class of `retry.on` it falls in, else null. */
export function retryClass(end: AgentEnd): string | null {
  if (end.stoppedFor !== null || end.spawnError !== null || end.failure === null) return null
  return end.failure.class
}

function causeOf({ end, timeoutSeconds }: Judgement): Cause {
  if (end.spawnError !== null) return { kind: 'spawn', message: end.spawnError }
  switch (end.stoppedFor) {
    case 'worker-timeout':
      return { kind: 'timeout', which: 'worker', seconds: timeoutSeconds }
    case 'wave-deadline':
      return { kind: 'timeout', which: 'wave', seconds: timeoutSeconds }
    case 'inactivity':
      return { kind: 'timeout', which: 'inactivity', seconds: timeoutSeconds }
    case 'interrupt':
    case 'cancelled':
      return { kind: 'stopped', by: end.stoppedFor }
    case 'lingering':
    case 'completion':
      return end.failure === null ? { kind: 'lingering' } : { kind: 'agent', ...classAndMessage(end.failure) }
    case null:
      break
  }
  if (end.signal !== null) return { kind: 'signal', signal: end.signal }
  if (end.failure !== null && end.failure.class !== 'crash')
    return { kind: 'agent', ...classAndMessage(end.failure) }
  if (end.exitCode !== 0) return { kind: 'exit', code: end.exitCode ?? -1 }
  return end.failure === null ? { kind: 'exit', code: 0 } : { kind: 'agent', ...classAndMessage(end.failure) }
}

function classAndMessage(
  failure: NonNullable<AgentEnd['failure']>,
): Pick<Extract<Cause, { kind: 'agent' }>, 'class' | 'message'> {
  return { class: failure.class, message: failure.message }
}

/** What the agent emitted, else what stands as events in its text, else its final message where that counts. */
function resultsOf(of: Judgement, cause: Cause): { events: readonly Event[]; fromFinalMessage: boolean } {
  if (of.work.accepted.length > 0) return { events: of.work.accepted, fromFinalMessage: false }
  const quoted = of.end.textEvents.filter((event) => mayPublish(of.hat, of.control, event.topic))
  if (quoted.length > 0) return { events: quoted, fromFinalMessage: false }
  const counts = isClean(cause) && of.work.refused.length === 0 && of.end.textEvents.length === 0
  if (!counts || of.finalTopic === null || isBlank(of.end.finalMessage))
    return { events: [], fromFinalMessage: false }
  return { events: [{ topic: of.finalTopic, payload: of.end.finalMessage }], fromFinalMessage: true }
}

function statusOf({ work, end }: Judgement, cause: Cause, events: readonly Event[]): Status {
  switch (cause.kind) {
    case 'spawn':
      return 'spawn_failed'
    case 'stopped':
      return 'cancelled'
    case 'timeout':
      return events.length > 0 ? 'partial' : 'timeout'
    default:
      if (!isClean(cause)) return events.length > 0 ? 'partial' : 'failed'
      if (events.length > 0) return 'ok'
      return work.refused.length > 0 || end.textEvents.length > 0 ? 'scope_violation' : 'empty'
  }
}

export function classOf(status: Status): Outcome['class'] {
  if (status === 'ok' || status === 'partial') return 'result'
  return status === 'cancelled' ? 'withdrawn' : 'failure'
}

function isClean(cause: Cause): boolean {
  return cause.kind === 'lingering' || (cause.kind === 'exit' && cause.code === 0)
}

function reasonOf(status: Status, cause: Cause, end: AgentEnd): string | null {
  if (status === 'ok') return null
  const tail = lastLines(end.tail)
  if (status === 'empty') return tail === '' ? NOTHING_SAID : `${NOTHING_SAID}: ${tail}`
  const withTail = (text: string): string => (tail === '' || status === 'partial' ? text : `${text}: ${tail}`)
  switch (cause.kind) {
    case 'exit':
      return cause.code === 0
        ? 'emitted only topics that it may not publish'
        : withTail(`exit code ${cause.code}`)
    case 'signal':
      return withTail(`killed by ${cause.signal}`)
    case 'agent':
      return withTail(`${cause.class}: ${cause.message}`)
    case 'timeout':
      return status === 'partial' ? 'timeout' : `no result within ${cause.seconds} s`
    case 'spawn':
      return cause.message
    case 'stopped':
      return cause.by === 'interrupt' ? 'interrupted' : cause.by
    case 'lingering':
      return null
    case 'missing':
    case 'never-started':
      return null
  }
}

function remarksOf({ work, end }: Judgement, fromFinalMessage: boolean): readonly string[] {
  const remarks: string[] = []
  if (fromFinalMessage) remarks.push('from: final_message')
  if (work.refused.length > 0) remarks.push(`refused topics: ${[...new Set(work.refused)].join(', ')}`)
  if (work.nestedRefused > 0) remarks.push('refused a wave inside the wave')
  for (const bad of work.bad) remarks.push(`bad line ${bad.line}: ${bad.reason}`)
  if (end.strays.length > 0) remarks.push(`left behind: ${end.strays.map(describeStray).join(', ')}`)
  return remarks
}

function describeStray(stray: Stray): string {
  return `${stray.command} (pid ${stray.pid})`
}

const NOTHING_SAID = 'ended without an event and without a final message that counts'
const TAIL_CHARACTERS = 400

function lastLines(tail: string): string {
  const text = tail.trim().split('\n').slice(-3).join(' | ')
  return [...text.slice(-2 * TAIL_CHARACTERS)].slice(-TAIL_CHARACTERS).join('')
}

function isBlank(blob: Blob): boolean {
  return 'inline' in blob ? blob.inline.trim() === '' : blobBytes(blob) === 0
}

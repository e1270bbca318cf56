import type { AgentEnd } from '../agent/end.ts'
import { type Blob, inline } from '../blob.ts'
import type { HatId } from '../hat.ts'
import type { Topic } from '../topic.ts'
import { WORKER_FAILED } from '../wave/merge.ts'
import { MAX_REFUSALS } from '../wave/room.ts'
import { COORDINATOR, giveBackIteration, publish } from './inbox.ts'
import type { Completion, Iteration, Letter, Loop } from './loop.ts'
import type { State } from './state.ts'

/** Judges an iteration that is over: failure, silence, defaults, staleness, completion (contract/loop §7 steps 8–10). */
export function assess(state: State, loop: Loop, iteration: Iteration): void {
  const failure = failureOf(iteration)
  if (failure !== null) {
    takeBack(loop, iteration, failure)
    return
  }
  loop.lastFailure = null
  loop.counters.failures = 0
  loop.counters.backoffs = 0
  for (const hat of iteration.hats) state.activations.set(hat, (state.activations.get(hat) ?? 0) + 1)
  forgetConsumedWaves(state, loop)

  const completion = iteration.completionAsked ?? textCompletion(state, iteration)
  countValidation(loop, iteration)
  countStaleness(loop, iteration)
  countSilence(state, loop, iteration, completion !== null)
  if (!loop.cancelled) settleCompletion(state, loop, iteration, completion)
  const isOver = loop.cancelled || loop.completion !== null || state.stop !== null
  if (!isOver && loop.pending === 0 && loop.humanNotes.length === 0) {
    resume(state, [], 'Nothing is pending. Go on with the objective, or complete.')
  }
}

/** Why an iteration failed, or null. An accepted event makes it a success, whatever happened to the agent afterwards. */
export function failureOf(iteration: Iteration): string | null {
  const end = iteration.end
  if (end === null || iteration.accepted > 0) return null
  if (end.spawnError !== null) return end.spawnError
  if (end.stoppedFor === 'inactivity') return `ended for inactivity${tailOf(end)}`
  if (end.stoppedFor === 'lingering' || end.stoppedFor === 'completion') return null
  if (end.stoppedFor !== null) return `ended (${end.stoppedFor})`
  if (end.signal !== null) return `killed by ${end.signal}${tailOf(end)}`
  if (end.failure !== null && end.failure.class !== 'crash') {
    const code = end.exitCode === 0 || end.exitCode === null ? '' : ` (exit code ${end.exitCode})`
    return `${end.failure.class}: ${end.failure.message}${code}${tailOf(end)}`
  }
  if (end.exitCode !== 0) return `exit code ${end.exitCode}${tailOf(end)}`
  return end.failure === null ? null : `${end.failure.message}${tailOf(end)}`
}

/**
 * Trouble that is worth waiting for: at the provider, or on a machine that lets no agent start for now. Only where no event
 * was accepted (contract/loop §8.1).
 */
export function passingTrouble(loop: Loop, iteration: Iteration): 'wait' | 'give-up' | null {
  if (iteration.end?.shortage === true) return loop.counters.backoffs < MAX_REFUSALS - 1 ? 'wait' : null
  return providerTrouble(iteration)
}

/** Trouble at the provider alone. */
export function providerTrouble(iteration: Iteration): 'wait' | 'give-up' | null {
  const end = iteration.end
  if (end === null || end.failure === null || end.stoppedFor !== null || iteration.accepted > 0) return null
  switch (end.failure.class) {
    case 'rate_limit':
    case 'overload':
      return 'wait'
    case 'auth':
    case 'quota':
      return 'give-up'
    default:
      return null
  }
}

/** Publishes `task.resume`, to some hats alone or where routing sends it. */
export function resume(state: State, hats: readonly HatId[], payload: string): void {
  if (hats.length === 0) publish(state, { topic: 'task.resume', payload, kickoff: true })
  for (const to of hats) publish(state, { topic: 'task.resume', payload, to, kickoff: true })
}

function tailOf(end: AgentEnd): string {
  const tail = end.tail.trim()
  return tail === '' ? '' : `\n${tail}`
}

/** A failed iteration gives its events back; it counts for no hat. */
function takeBack(loop: Loop, iteration: Iteration, failure: string): void {
  giveBackIteration(loop, iteration)
  loop.lastFailure = failure
  if (providerTrouble(iteration) === null && iteration.end?.stoppedFor !== 'interrupt')
    loop.counters.failures += 1
}

/** Merged waves are kept while a letter, or a chain that goes on, still speaks of them. */
function forgetConsumedWaves(state: State, loop: Loop): void {
  const needed = new Set(loop.continuations)
  for (const inbox of loop.inboxes.values()) {
    for (const letter of inbox) if (letter.kind === 'wave') needed.add(letter.wave)
  }
  for (const wave of state.waves.values()) for (const id of wave.chain.waiting) needed.add(id)
  for (const id of state.merged.keys()) if (!needed.has(id)) state.merged.delete(id)
}

/** The last line of the final message is the promise. */
function textCompletion(state: State, iteration: Iteration): Completion | null {
  const end = iteration.end
  if (end === null || end.lastLine.trim() !== state.rules.eventLoop.completionPromise) return null
  return { by: 'text', payload: end.finalMessage }
}

function countValidation(loop: Loop, iteration: Iteration): void {
  const { counters } = loop
  counters.validation = iteration.badLines > 0 && iteration.goodLines === 0 ? counters.validation + 1 : 0
}

function countStaleness(loop: Loop, iteration: Iteration): void {
  const { counters } = loop
  const set = iteration.plain.length === 0 ? null : [...new Set(iteration.plain)].sort().join('\n\n')
  counters.stale = set === null ? 0 : set === counters.lastPlain ? counters.stale + 1 : 1
  counters.lastPlain = set
}

/** Defaults and silence (contract/loop §8). */
function countSilence(state: State, loop: Loop, iteration: Iteration, completes: boolean): void {
  const { counters } = loop
  if (iteration.accepted > 0 || iteration.end?.scratchpadChanged === true) {
    counters.silent = 0
    counters.defaults = 0
  }
  if (iteration.accepted > 0 || completes) return
  const fallback = defaultTopic(state, iteration)
  if (fallback !== null && fallback.topic !== state.rules.eventLoop.completionPromise) {
    if (iteration.end?.scratchpadChanged !== true) counters.defaults += 1
    loop.seenTopics.add(fallback.topic)
    publish(state, { topic: fallback.topic, payload: '' })
    return
  }
  if (iteration.end?.scratchpadChanged !== true) counters.silent += 1
  const to = fallback === null ? addressees(iteration) : [fallback.hat]
  resume(state, to, silenceText(state, iteration))
}

function defaultTopic(state: State, iteration: Iteration): { hat: HatId; topic: Topic } | null {
  for (const hat of iteration.hats) {
    const topic = state.topology.hat(hat)?.defaultPublishes
    if (topic !== undefined) return { hat, topic }
  }
  return null
}

function addressees(iteration: Iteration): readonly HatId[] {
  return iteration.hats.length > 0 ? iteration.hats : [COORDINATOR]
}

function silenceText(state: State, iteration: Iteration): string {
  const topics = iteration.hats.flatMap((id) => state.topology.hat(id)?.publishes ?? [])
  const promise = state.rules.eventLoop.completionPromise
  const allowed = topics.length > 0 ? [...new Set(topics)].join(', ') : promise
  return `No event arrived from the last iteration. Finish the work and emit one of: ${allowed}.`
}

/** Held while a wave that was dispatched beside it is under way; then put through the completion check. */
function settleCompletion(state: State, loop: Loop, iteration: Iteration, asked: Completion | null): void {
  if (iteration.dispatched) {
    loop.held = asked ?? loop.held
    return
  }
  const consumed = iteration.letters.some(tellsOfWave)
  const completion = asked ?? (consumed ? loop.held : null)
  if (completion === null) {
    loop.counters.rejections = 0
    loop.counters.lastRejection = null
    return
  }
  loop.held = null
  const rejection = rejectionOf(state, loop)
  if (rejection === null) {
    loop.completion = { ...completion, payload: resultOf(state, iteration, completion) }
    return
  }
  if (rejection.counts) {
    loop.counters.rejections =
      rejection.text === loop.counters.lastRejection ? loop.counters.rejections + 1 : 1
    loop.counters.lastRejection = rejection.text
  }
  resume(state, [], rejection.text)
}

/** Results of a wave, or of a wave without an aggregator its failures. */
function tellsOfWave(letter: Letter): boolean {
  return letter.kind === 'wave' || (letter.from === 'loop' && letter.event.topic === WORKER_FAILED)
}

/** The completion check, in the contract's order (contract/loop §9). */
function rejectionOf(state: State, loop: Loop): { text: string; counts: boolean } | null {
  const { requiredEvents, persistent } = state.rules.eventLoop
  const missing = requiredEvents.filter((topic) => !loop.seenTopics.has(topic))
  if (missing.length > 0) {
    return {
      text: `Completion was rejected: these required events have not been seen: ${missing.join(', ')}.`,
      counts: true,
    }
  }
  if (loop.guidance.length > 0) {
    return {
      text: 'Completion was rejected: guidance from a human is not acknowledged (human.guidance.ack).',
      counts: true,
    }
  }
  if (persistent) {
    return { text: 'Completion was noted, but this run is persistent: look for further work.', counts: false }
  }
  return null
}

/** The payload of the event, or if that is empty the final message; without the promise line. */
function resultOf(state: State, iteration: Iteration, completion: Completion): Blob {
  const isEmpty = 'inline' in completion.payload && completion.payload.inline.trim() === ''
  const source = isEmpty ? (iteration.end?.finalMessage ?? inline('')) : completion.payload
  if (!('inline' in source) || (completion.by === 'event' && !isEmpty)) return source
  return inline(withoutPromise(source.inline, state.rules.eventLoop.completionPromise))
}

function withoutPromise(text: string, promise: Topic): string {
  const lines = text.trimEnd().split('\n')
  if (lines.at(-1)?.trim() === promise) lines.pop()
  return lines.join('\n').trimEnd()
}

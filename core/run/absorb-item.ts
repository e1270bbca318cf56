import type { Hat } from '../hat.ts'
import { isComplete } from '../wave/gate.ts'
import { finalMessageTopic } from '../wave/guard.ts'
import { afterNudge, nudgeFor } from '../wave/nudge.ts'
import { errorText, judge, neverRan } from '../wave/outcome.ts'
import { enqueue, enqueueFirst, enqueueInOrder, settle } from '../wave/queue.ts'
import { isLastAttempt, retryDelay } from '../wave/retry.ts'
import { MAX_REFUSALS, waitForRoom } from '../wave/room.ts'
import type { Outcome, Wave, Work } from '../wave/wave.ts'
import { accountTrouble } from './account.ts'
import { backendOf } from './backends.ts'
import { controlTopics } from './control-topics.ts'
import type { Fact } from './fact.ts'
import type { State } from './state.ts'
import { findItem, takeWorkerLine } from './work.ts'

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>

/** Topic under which an item of `ralph wave run` keeps its final message. */
export const ITEM_RESULT = 'item.result'

/** An item's agent is about to start: it leaves its queue and takes a place. */
export function startItem(state: State, work: Work): void {
  const wave = waveOf(state, work)
  const queue = wave.queues.get(work.hat)
  if (queue === undefined || queue.items[queue.head] !== work)
    throw new Error(`item ${work.id} was not next in its queue`)
  const active = wave.active.get(work.hat) ?? 0
  if (active >= hatOf(wave, work).concurrency)
    throw new Error(`item ${work.id} would run above the concurrency of ${work.hat}`)
  queue.head += 1
  wave.queued -= 1
  wave.runningCount += 1
  wave.active.set(work.hat, active + 1)
  state.workers.set(work.agent, work)
  state.workerAgents.add(work.agent)
  work.accepted = []
  work.refused = []
  work.bad = []
  work.linesRead = 0
  if (work.attempts === 1) state.activations.set(work.hat, (state.activations.get(work.hat) ?? 0) + 1)
}

export function absorbWorkerRead(state: State, fact: FactOf<'worker.read'>): void {
  const work = state.workers.get(fact.n)
  if (work === undefined || work.agent !== fact.n) return
  for (const event of fact.events) takeWorkerLine(state, work, event)
  work.bad.push(...fact.bad)
  work.linesRead += fact.events.length + fact.bad.length
}

/** The agent of an item has ended: another attempt, or the outcome. */
export function endItem(state: State, work: Work, fact: FactOf<'agent.ended'>): void {
  const wave = waveOf(state, work)
  wave.runningCount -= 1
  wave.active.set(work.hat, (wave.active.get(work.hat) ?? 1) - 1)
  const hat = hatOf(wave, work)
  const outcome = judge({
    work,
    end: fact.end,
    hat,
    control: controlTopics(state),
    finalTopic: wave.shell === null ? finalMessageTopic(hat, controlTopics(state)) : ITEM_RESULT,
    timeoutSeconds: timeoutOf(wave, work, fact.end.stoppedFor === 'wave-deadline'),
    durationMs: Math.round(fact.mono - (work.startedMono ?? fact.mono)),
  })
  if (fact.end.shortage === true && !wave.deadlinePassed && waitsForRoom(state, wave, work, outcome)) return
  const failureClass = fact.end.failure?.class
  const trouble = accountTrouble(state, work, fact)
  if (outcome.status === 'failed' && trouble !== null) {
    // The item stays open, and nothing further starts.
    state.stop ??= { reason: 'backend_unavailable', how: 'drain', message: errorText(outcome), trouble }
    settle(wave, work, { ...outcome, status: 'cancelled', class: 'withdrawn' })
    return
  }
  if (work.nudge !== null) {
    settle(wave, work, afterNudge(work.nudge, outcome))
    return
  }
  const goesOn = !wave.deadlinePassed && state.stop === null
  const nudge = nudgeFor({ work, end: fact.end, hat, control: controlTopics(state), outcome })
  if (nudge !== null && goesOn) {
    work.nudge = nudge
    enqueueFirst(wave, work)
    state.news.push({ kind: 'nudge', wave: wave.id, index: work.index, payload: work.payload })
    return
  }
  const delay = retryDelay(work, fact.end, hat, state.rules.features.retry)
  if (delay !== null && goesOn) {
    work.status = 'waiting'
    work.outcome = null
    wave.waiting += 1
    wave.retries.push({ work, ms: delay })
    state.news.push({
      kind: 'retry',
      wave: wave.id,
      index: work.index,
      class: failureClass ?? 'crash',
      ms: delay,
      attempt: work.attempts + 1,
      maxAttempts: hat.retry?.attempts ?? state.rules.features.retry.attempts,
      payload: work.payload,
    })
    wave.lastFailures.set(work.index, outcome)
    return
  }
  settle(wave, work, outcome)
}

/**
 * The machine let no further agent start: that was no attempt. Beside others the item waits for the end of one, alone for
 * a while; a run that is about to end leaves it open. False: it has waited often enough.
 */
function waitsForRoom(state: State, wave: Wave, work: Work, outcome: Outcome): boolean {
  const alone = state.running.size === 0 && state.stop === null
  const ms = alone ? waitForRoom(state.room) : null
  if (alone && ms === null) return false
  work.attempts -= 1
  if (work.attempts === 0) {
    work.startedMono = null
    state.activations.set(work.hat, (state.activations.get(work.hat) ?? 1) - 1)
  }
  if (ms === null) {
    enqueueInOrder(wave, work)
    return true
  }
  work.status = 'waiting'
  wave.waiting += 1
  wave.retries.push({ work, ms })
  wave.lastFailures.set(work.index, outcome)
  state.news.push({
    kind: 'retry',
    wave: wave.id,
    index: work.index,
    class: 'shortage',
    ms,
    attempt: state.room.refusals + 1,
    maxAttempts: MAX_REFUSALS,
    payload: work.payload,
  })
  return true
}

/**
 * The wait before another attempt is over: the item is next in its queue. While its provider pushes back, its last attempt
 * comes after those of others, so that no item uses up its attempts where another has more left.
 */
export function retryItem(state: State, id: string): void {
  state.room.held = false
  const item = findItem(state, id)
  if (item === undefined || item.work.status !== 'waiting') return
  const { wave, work } = item
  wave.waiting -= 1
  const pressed = state.throttle.has(backendOf(state, work)?.name ?? '')
  const last = isLastAttempt(work.attempts, hatOf(wave, work), state.rules.features.retry)
  if (pressed && last) enqueue(wave, work)
  else if (work.attempts === 0) enqueueInOrder(wave, work)
  else enqueueFirst(wave, work)
}

/** Waiting items never start; running ones are to be ended; finished ones keep their results (contract/waves §8.2). */
export function passDeadline(state: State, id: string): void {
  const wave = state.waves.get(id)
  if (wave === undefined || isComplete(wave)) return
  wave.deadlinePassed = true
  for (const queue of wave.queues.values()) {
    for (const work of queue.items.slice(queue.head)) {
      const known = wave.lastFailures.get(work.index) ?? work.nudge?.before
      settle(wave, work, known ?? neverRan('timeout', wave.deadlineSeconds ?? 0))
    }
    queue.head = queue.items.length
  }
  wave.queued = 0
  for (const [index, failure] of wave.lastFailures) {
    const work = wave.byIndex.get(index)
    if (work?.status === 'waiting') settle(wave, work, failure)
  }
  wave.waiting = 0
  for (const running of state.running.values()) {
    if (running.work.wave === id && running.stopping === null)
      state.due.push({ n: running.n, cause: 'wave-deadline' })
  }
}

function timeoutOf(wave: Wave, work: Work, byWave: boolean): number {
  const own = wave.timeouts[work.hat] ?? 0
  return byWave ? (wave.deadlineSeconds ?? own) : own
}

function waveOf(state: State, work: Work): Wave {
  const wave = work.wave === null ? undefined : state.waves.get(work.wave)
  if (wave === undefined) throw new Error(`item ${work.id} has no open wave`)
  return wave
}

function hatOf(wave: Wave, work: Work): Hat {
  const hat = wave.hats[work.hat]
  if (hat === undefined) throw new Error(`wave ${wave.id} has no snapshot of hat ${work.hat}`)
  return hat
}

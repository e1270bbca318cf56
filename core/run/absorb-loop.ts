import { inline } from '../blob.ts'
import { isIncomplete } from '../wave/detect.ts'
import { backoffWithJitter } from '../wave/retry.ts'
import { endOffer } from './absorb-recovered.ts'
import { accountTrouble } from './account.ts'
import { assess, failureOf, passingTrouble, providerTrouble } from './assess.ts'
import type { Fact } from './fact.ts'
import { post, publish, takeAll, warn } from './inbox.ts'
import { takeIn } from './intake.ts'
import { endReason } from './limits.ts'
import type { Iteration, Loop } from './loop.ts'
import { isKickoff } from './select.ts'
import type { State } from './state.ts'
import { createWork, workerOf } from './work.ts'

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>

const FIRST_BACKOFF_MS = 30_000
const FIRST_SHORTAGE_MS = 1000
const LONGEST_BACKOFF_MS = 15 * 60_000

export function absorbOpened(state: State, fact: FactOf<'loop.opened'>): void {
  const loop = loopOf(state)
  loop.objective = fact.objective
  loop.iterationsHere = 0
  const hat = state.topology.receiver(fact.topic)?.id ?? ''
  const event = { topic: fact.topic, payload: fact.objective }
  post(state, hat, { kind: 'event', event, from: 'loop', kickoff: true })
}

/** All inboxes are drained into one prompt; hats whose activations are used up lose their letters. */
export function absorbBegun(state: State, fact: FactOf<'iteration.begun'>): void {
  const loop = loopOf(state)
  for (const hat of fact.exhausted) loseLetters(state, loop, hat)
  const taken = takeAll(loop)
  const real = taken.filter(({ letter }) => !isKickoff(letter))
  const letters = (real.length > 0 ? real : taken).map(({ letter }) => letter)
  const [first] = fact.hats
  loop.iteration = fact.iteration
  loop.iterationsHere += 1
  loop.current = {
    number: fact.iteration,
    work: createWork({
      id: String(fact.iteration),
      wave: null,
      index: 0,
      hat: first ?? '',
      topic: '',
      payload: inline(''),
    }),
    hats: fact.hats,
    letters,
    notes: loop.humanNotes,
    taken,
    startedAt: fact.at,
    startedMono: fact.mono,
    end: null,
    accepted: 0,
    plain: [],
    badLines: 0,
    goodLines: 0,
    dispatched: false,
    quoted: false,
    waitedForLines: false,
    completionAsked: null,
  }
  loop.humanNotes = []
  loop.unnoted = []
  loop.phase = { at: 'begun' }
}

/** Lines of the main events file: those of workers go to their items, the rest is handled when the iteration's agent has ended. */
export function absorbRead(state: State, fact: FactOf<'events.read'>): void {
  const loop = loopOf(state)
  loop.readOffset = fact.offset
  loop.badBacklog.push(...fact.bad)
  for (const event of fact.events) {
    if (event.waveStatus !== undefined) continue
    const worker = workerOf(state, event)
    if (worker === null) loop.backlog.push(event)
    else worker.take(event)
  }
  const { phase, current } = loop
  if (!fact.final || current === null) return
  if (phase.at !== 'reading' && phase.at !== 'quoting') return
  takeIn(state, loop, current, fact.at)
  loop.phase = afterReading(state, loop, current)
}

/** What comes after a read: more of it, waves, a wait for the provider, or the end of the iteration. */
function afterReading(state: State, loop: Loop, iteration: Iteration): Loop['phase'] {
  const quotable =
    iteration.accepted === 0 && !iteration.quoted && (iteration.end?.textEvents.length ?? 0) > 0
  if (quotable) {
    iteration.quoted = true
    return { at: 'quoting', asked: false }
  }
  if (loop.cancelled) {
    loop.dispatches = []
    return { at: 'closing', asked: false }
  }
  if (!iteration.waitedForLines && loop.dispatches.some(isIncomplete)) {
    iteration.waitedForLines = true
    return { at: 'awaiting-lines', asked: false }
  }
  if (loop.dispatches.length > 0) return { at: 'dispatching' }
  if (passingTrouble(loop, iteration) === 'wait') return backOff(state, loop, iteration)
  return { at: 'closing', asked: false }
}

function backOff(state: State, loop: Loop, iteration: Iteration): Loop['phase'] {
  const short = iteration.end?.shortage === true
  const first = short ? FIRST_SHORTAGE_MS : FIRST_BACKOFF_MS
  const doubled = Math.min(first * 2 ** loop.counters.backoffs, LONGEST_BACKOFF_MS)
  const failure = iteration.end?.failure
  loop.counters.backoffs += 1
  const key = `${iteration.number}#${loop.counters.backoffs}`
  const ms = backoffWithJitter(failure?.retryAfterMs ?? doubled, key)
  if (short) warn(state, 'short', `${iteration.end?.spawnError}`)
  state.news.push({ kind: 'backoff', class: short ? 'shortage' : (failure?.class ?? 'unknown'), ms })
  return { at: 'backing-off', asked: false, ms }
}

/** The pause of the phase is over. */
export function passPhaseTimer(state: State): void {
  const loop = loopOf(state)
  switch (loop.phase.at) {
    case 'cooling':
      loop.phase = { at: 'ready' }
      break
    case 'backing-off':
      if (loop.current) loop.current.end = null
      loop.phase = { at: 'begun' }
      break
    case 'awaiting-lines':
      loop.phase = { at: 'reading', asked: false }
      break
    default:
      break
  }
}

/** An iteration is judged once: told again, it is no news. */
export function absorbClosed(state: State, fact: FactOf<'iteration.closed'>): void {
  const loop = loopOf(state)
  const iteration = loop.current
  if (iteration?.number !== fact.iteration || loop.phase.at !== 'closing') return
  endOffer(state, iteration.number)
  if (providerTrouble(iteration) === 'give-up' && state.stop === null) {
    const trouble =
      iteration.end && accountTrouble(state, iteration.work, { end: iteration.end, at: fact.at })
    state.stop = {
      reason: 'backend_unavailable',
      how: 'drain',
      message: failureOf(iteration) ?? '',
      ...(trouble === null ? {} : { trouble }),
    }
  }
  assess(state, loop, iteration)
  const pause = state.rules.eventLoop.cooldownDelaySeconds > 0 && loop.humanNotes.length === 0
  loop.phase = pause && endReason(state) === null ? { at: 'cooling', asked: false } : { at: 'ready' }
}

/** Publishes `<hat>.exhausted` the first time; later letters are lost without a word. */
function loseLetters(state: State, loop: Loop, hat: string): void {
  const lost = loop.inboxes.get(hat) ?? []
  loop.inboxes.delete(hat)
  loop.pending -= lost.length
  const topics = lost.flatMap((letter) =>
    letter.kind === 'event' ? [letter.event.topic] : [`results of ${letter.wave}`],
  )
  publishExhausted(state, hat, topics)
}

export function publishExhausted(state: State, hat: string, topics: readonly string[]): void {
  if (state.exhausted.has(hat)) return
  state.exhausted.add(hat)
  const limit = state.topology.hat(hat)?.maxActivations ?? 0
  const count = state.activations.get(hat) ?? 0
  const payload = `${hat} has used its activations (${count} of ${limit}). Dropped: ${[...new Set(topics)].join(', ')}.`
  publish(state, { topic: `${hat}.exhausted`, payload })
}

function loopOf(state: State): Loop {
  if (state.loop === null) throw new Error('the journal has a fact of a loop, but this run has none')
  return state.loop
}

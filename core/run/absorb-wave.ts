import type { Event } from '../event.ts'
import type { Hat } from '../hat.ts'
import { nextStage } from '../wave/chain.ts'
import { finalMessageTopic } from '../wave/guard.ts'
import { WORKER_FAILED } from '../wave/merge.ts'
import { errorText, judge, neverRan } from '../wave/outcome.ts'
import type { WaveItem, WavePlan } from '../wave/plan.ts'
import { retryDelay } from '../wave/retry.ts'
import { publishExhausted } from './absorb-loop.ts'
import type { Fact } from './fact.ts'
import { announceWave, COORDINATOR, publish, warn } from './inbox.ts'
import { allowedPatterns, controlTopics, deliverPlain, publishScopeViolation } from './intake.ts'
import type { Loop, Outcome, State, Wave, Work } from './state.ts'
import { createWork, takeWorkerLine } from './work.ts'

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>
type Time = Pick<Fact, 'at' | 'mono'>

/** Topic under which an item of `ralph wave run` keeps its final message. */
export const ITEM_RESULT = 'item.result'

/** Dispatches were taken up: waves open, lines that are no items are delivered, refusals reach the next prompt. */
export function absorbResolved(state: State, fact: FactOf<'dispatches.resolved'>): void {
  const { loop } = state
  const iteration = loop?.current
  if (loop === null || iteration === null || iteration === undefined) return
  const { resolution } = fact
  loop.dispatches = []
  for (const event of resolution.ordinary) deliverPlain(state, loop, iteration, event)
  for (const payload of resolution.refusals) {
    publish(state, { topic: 'wave.refused', payload })
    warn(state, 'wave_refused', payload)
  }
  const [first] = iteration.hats
  if (resolution.violations.length > 0 && first !== undefined) {
    const allowed = allowedPatterns(state, iteration.hats) ?? []
    publishScopeViolation(state, { hat: first, topics: resolution.violations, allowed })
  }
  for (const plan of resolution.plans) {
    for (const item of plan.items) if (item.barred === undefined) loop.seenTopics.add(item.event.topic)
    openWave(state, plan, fact)
  }
  for (const hat of resolution.exhausted) publishExhausted(state, hat, topicsOf(resolution.plans, hat))
  iteration.dispatched ||= resolution.plans.length > 0
  loop.phase = state.waves.size > 0 ? { at: 'waving' } : { at: 'closing', asked: false }
}

export function openWave(state: State, plan: WavePlan, time: Time): void {
  const works = plan.items.map((item) => createItem(plan, item))
  const wave: Wave = {
    id: plan.id,
    inferred: plan.inferred,
    hats: plan.hats,
    aggregators: plan.aggregators,
    total: plan.total,
    works,
    byIndex: new Map(works.map((work) => [work.index, work])),
    queues: new Map(Object.keys(plan.hats).map((hat) => [hat, { items: [], head: 0 }])),
    active: new Map(),
    queued: 0,
    runningCount: 0,
    waiting: 0,
    settled: 0,
    timeouts: plan.timeouts,
    deadlineSeconds: plan.deadlineSeconds,
    shell: plan.shell,
    chain: plan.chain ?? { root: plan.id, stage: 1, ran: Object.keys(plan.hats), waiting: [] },
    openedAt: time.at,
    openedMono: time.mono,
    deadlinePassed: false,
    deadlineArmed: false,
    finish: 'open',
    durationMs: 0,
    change: null,
    unfiled: [],
    retries: [],
    lastFailures: new Map(),
    carried: new Set(),
  }
  state.waves.set(plan.id, wave)
  state.knownWaves.add(plan.id)
  plan.items.forEach((item, i) => {
    const work = works[i]
    if (work === undefined) return
    if (item.carried !== undefined) carry(wave, work, item.carried)
    else if (item.barred !== undefined) settle(wave, work, neverRan(item.barred))
    else enqueue(wave, work)
  })
}

/** An item's agent is about to start: it leaves its queue and takes a place. */
export function startItem(state: State, work: Work): void {
  const wave = waveOf(state, work)
  const queue = wave.queues.get(work.hat)
  if (queue === undefined || queue.items[queue.head] !== work)
    throw new Error(`item ${work.id} was not next in its queue`)
  queue.head += 1
  wave.queued -= 1
  wave.runningCount += 1
  wave.active.set(work.hat, (wave.active.get(work.hat) ?? 0) + 1)
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
  const failureClass = fact.end.failure?.class
  if (outcome.status === 'failed' && (failureClass === 'auth' || failureClass === 'quota')) {
    // The item met trouble that no retry cures: it stays open, and nothing further starts.
    state.stop ??= { reason: 'backend_unavailable', how: 'drain', message: errorText(outcome) }
    settle(wave, work, { ...outcome, status: 'cancelled', class: 'withdrawn' })
    return
  }
  const delay = retryDelay(work, fact.end, hat, state.rules.features.retry)
  if (delay !== null && !wave.deadlinePassed && state.stop === null) {
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

/** The wait before another attempt is over: the item is next in its queue. */
export function retryItem(state: State, id: string): void {
  const slash = id.lastIndexOf('/')
  const wave = state.waves.get(id.slice(0, slash))
  const work = wave?.byIndex.get(Number(id.slice(slash + 1)))
  if (wave === undefined || work === undefined || work.status !== 'waiting') return
  wave.waiting -= 1
  enqueueFirst(wave, work)
}

/** Waiting items never start; running ones are to be ended; finished ones keep their results (contract/waves §8.2). */
export function passDeadline(state: State, id: string): void {
  const wave = state.waves.get(id)
  if (wave === undefined || wave.finish !== 'open') return
  wave.deadlinePassed = true
  for (const queue of wave.queues.values()) {
    for (const work of queue.items.slice(queue.head)) {
      settle(wave, work, wave.lastFailures.get(work.index) ?? neverRan('timeout', wave.deadlineSeconds ?? 0))
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

/** The results are in the main file: they are seen, and reach the hats that consume them (contract/waves §9, §10). */
export function absorbMerged(state: State, fact: FactOf<'wave.merged'>): void {
  const wave = state.waves.get(fact.wave)
  if (wave === undefined) return
  wave.finish = 'merged'
  wave.change = fact.change
  wave.durationMs = Math.round(fact.mono - wave.openedMono)
  state.waves.delete(wave.id)
  state.merged.set(wave.id, wave)
  for (const work of wave.works) state.workers.delete(work.agent)
  const { loop } = state
  if (loop === null) return
  for (const { topic } of resultsOf(wave)) loop.seenTopics.add(topic)
  publishFailures(state, wave)
  const stage = nextStage(wave, state.topology)
  for (const hat of stage.repeated) {
    warn(
      state,
      'chain_repeats',
      `wave ${wave.id}: ${hat} has run in this chain; results for it are ordinary events`,
    )
  }
  if (stage.items.length > 0) loop.continuations.push(wave.id)
  else deliverChain(state, loop, wave)
  if (state.waves.size === 0 && loop.continuations.length === 0) loop.phase = { at: 'closing', asked: false }
}

/** The next stage of a chain opens: what it takes up is no longer waiting. */
export function openStage(state: State, fact: FactOf<'stage.opened'>): void {
  const { loop } = state
  if (loop === null) return
  loop.continuations = loop.continuations.filter((id) => id !== fact.after)
  if (!fact.plan.chain?.waiting.includes(fact.after)) state.merged.delete(fact.after)
  openWave(state, fact.plan, fact)
  for (const hat of fact.exhausted) publishExhausted(state, hat, topicsOf([fact.plan], hat))
}

/** The last wave of a chain reaches its hats, and with it what earlier stages had for others. */
function deliverChain(state: State, loop: Loop, wave: Wave): void {
  for (const id of wave.chain.waiting) {
    const earlier = state.merged.get(id)
    if (earlier !== undefined) deliverResults(state, earlier, wave.chain.ran)
  }
  deliverResults(state, wave, [])
  addressAggregator(state, loop, wave)
}

/** `stages`: hats that took their results as items of the chain. */
function deliverResults(state: State, wave: Wave, stages: readonly string[]): void {
  for (const event of resultsOf(wave)) {
    const hat = receiver(state, event)
    if (!stages.includes(hat)) announceWave(state, hat, wave.id)
  }
  const failed = wave.works.some((work) => work.outcome?.class === 'failure')
  const unheard = state.topology.receiver(WORKER_FAILED) === null
  if (failed && unheard && wave.aggregators.length === 0) announceWave(state, COORDINATOR, wave.id)
}

/** Failures that are new in this wave go to the hat that asks for them. */
function publishFailures(state: State, wave: Wave): void {
  const hat = state.topology.receiver(WORKER_FAILED)
  if (hat === null) return
  for (const work of wave.works) {
    if (work.outcome?.class !== 'failure' || wave.carried.has(work.index)) continue
    const payload = `Worker ${work.index} failed: ${errorText(work.outcome)}`
    publish(state, { topic: WORKER_FAILED, payload, to: hat.id })
  }
}

/** An aggregator always runs, even with zero results. */
function addressAggregator(state: State, loop: Loop, wave: Wave): void {
  const [first] = wave.aggregators
  const told = wave.aggregators.some((hat) =>
    loop.inboxes.get(hat)?.some((letter) => letter.kind === 'wave' && letter.wave === wave.id),
  )
  if (first !== undefined && !told) announceWave(state, first, wave.id)
}

function resultsOf(wave: Wave): readonly Event[] {
  return wave.works.flatMap((work) => (work.outcome?.class === 'result' ? work.outcome.events : []))
}

function createItem(plan: WavePlan, item: WaveItem): Work {
  return createWork({
    id: `${plan.id}/${item.index}`,
    wave: plan.id,
    index: item.index,
    hat: item.hat,
    topic: item.event.topic,
    payload: item.event.payload,
  })
}

/** A failure of an earlier stage: settled and filed there already. */
function carry(wave: Wave, work: Work, outcome: Outcome): void {
  work.outcome = outcome
  work.status = 'settled'
  wave.carried.add(work.index)
  wave.settled += 1
}

function enqueue(wave: Wave, work: Work): void {
  wave.queues.get(work.hat)?.items.push(work)
  wave.queued += 1
  work.status = 'queued'
}

/** Queues all unfinished items of a resumed wave afresh. `works` in index order. */
export function requeue(wave: Wave, works: readonly Work[]): void {
  for (const [hat] of wave.queues) wave.queues.set(hat, { items: [], head: 0 })
  wave.queued = 0
  for (const work of works) {
    work.outcome = null
    work.startedMono = null
    enqueue(wave, work)
  }
}

/** Before all that waits: it had its turn once. */
function enqueueFirst(wave: Wave, work: Work): void {
  const queue = wave.queues.get(work.hat)
  if (queue === undefined || queue.head === 0)
    throw new Error(`item ${work.id} comes back, but its queue was never read`)
  queue.head -= 1
  queue.items[queue.head] = work
  wave.queued += 1
  work.status = 'queued'
}

/** Writes the outcome of an item, once. A withdrawn item stays open. */
export function settle(wave: Wave, work: Work, outcome: Outcome): void {
  work.outcome = outcome
  work.status = outcome.class === 'withdrawn' ? 'queued' : 'settled'
  wave.lastFailures.delete(work.index)
  if (outcome.class === 'withdrawn') return
  wave.settled += 1
  wave.unfiled.push(work)
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

function receiver(state: State, event: Event): string {
  return state.topology.receiver(event.topic)?.id ?? COORDINATOR
}

function topicsOf(plans: readonly WavePlan[], hat: string): readonly string[] {
  return plans.flatMap((plan) =>
    plan.items
      .filter((item) => item.hat === hat && item.barred === 'exhausted')
      .map((item) => item.event.topic),
  )
}

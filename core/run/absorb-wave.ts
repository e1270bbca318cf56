import { nextStage } from '../wave/chain.ts'
import { isComplete } from '../wave/gate.ts'
import { neverRan } from '../wave/outcome.ts'
import type { WaveItem, WavePlan } from '../wave/plan.ts'
import { carry, enqueue, settle } from '../wave/queue.ts'
import type { Wave, Work } from '../wave/wave.ts'
import { publishExhausted } from './absorb-loop.ts'
import { deliverChain, publishFailures, resultsOf } from './deliver-results.ts'
import type { Fact } from './fact.ts'
import { publish, warn } from './inbox.ts'
import { allowedPatterns, deliverPlain, publishScopeViolation } from './intake.ts'
import type { Loop } from './loop.ts'
import type { State } from './state.ts'
import { createWork } from './work.ts'

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>
type Time = Pick<Fact, 'at' | 'mono'>

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
    redriveOf: plan.redriveOf ?? null,
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
    passedOn: new Set(),
  }
  state.waves.set(plan.id, wave)
  state.knownWaves.add(plan.id)
  plan.items.forEach((item, i) => {
    const work = works[i]
    if (work === undefined) return
    if (item.carried !== undefined) carry(wave, work, item.carried)
    else if (item.adopted !== undefined) settle(wave, work, item.adopted.outcome)
    else if (item.barred !== undefined) settle(wave, work, neverRan(item.barred))
    else enqueue(wave, work)
  })
}

/** The results are in the main file: they are seen, and reach the hats that consume them (contract/waves §9, §10). */
export function absorbMerged(state: State, fact: FactOf<'wave.merged'>): void {
  const wave = state.waves.get(fact.wave)
  if (wave === undefined) return
  if (!isComplete(wave)) throw new Error(`wave ${wave.id} was merged before all of its items were settled`)
  wave.finish = 'merged'
  wave.change = fact.change
  wave.durationMs = Math.round(fact.mono - wave.openedMono)
  state.waves.delete(wave.id)
  state.merged.set(wave.id, wave)
  for (const [n, work] of state.workers) if (work.wave === wave.id) state.workers.delete(n)
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
  if (state.waves.size === 0 && loop.continuations.length === 0) loop.phase = afterWaves(loop)
}

/** The iteration that dispatched is closed; a wave that was run again belongs to none. */
export function afterWaves(loop: Loop): Loop['phase'] {
  return loop.current === null ? { at: 'ready' } : { at: 'closing', asked: false }
}

/**
 * A person has a part of a merged wave run again, between two iterations: no iteration is at work, and the run's end,
 * if it had one, is taken back.
 */
export function openRedriven(state: State, fact: FactOf<'wave.redriven'>): void {
  const { loop } = state
  if (loop === null || loop.phase.at !== 'ready')
    throw new Error(`wave ${fact.of} was run again at a wrong time`)
  loop.completion = null
  loop.cancelled = false
  loop.current = null
  state.adoptable = new Map(fact.later)
  openWave(state, fact.plan, fact)
  for (const hat of fact.exhausted) publishExhausted(state, hat, topicsOf([fact.plan], hat))
  loop.phase = { at: 'waving' }
}

/** The next stage of a chain opens: what it takes up is no longer waiting. */
export function openStage(state: State, fact: FactOf<'stage.opened'>): void {
  const { loop } = state
  if (loop === null) return
  loop.continuations = loop.continuations.filter((id) => id !== fact.after)
  const before = state.merged.get(fact.after)
  if (before !== undefined) {
    for (const { event } of nextStage(before, state.topology).items) before.passedOn.add(event)
  }
  if (!fact.plan.chain?.waiting.includes(fact.after)) state.merged.delete(fact.after)
  openWave(state, fact.plan, fact)
  for (const hat of fact.exhausted) publishExhausted(state, hat, topicsOf([fact.plan], hat))
}

function createItem(plan: WavePlan, item: WaveItem): Work {
  const { index, hat, event, adopted } = item
  return createWork(
    { id: `${plan.id}/${index}`, wave: plan.id, index, hat, topic: event.topic, payload: event.payload },
    adopted,
  )
}

function topicsOf(plans: readonly WavePlan[], hat: string): readonly string[] {
  return plans.flatMap((plan) =>
    plan.items
      .filter((item) => item.hat === hat && item.barred === 'exhausted')
      .map((item) => item.event.topic),
  )
}

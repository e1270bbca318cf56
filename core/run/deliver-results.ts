import type { Event } from '../event.ts'
import { WORKER_FAILED } from '../wave/merge.ts'
import { errorText } from '../wave/outcome.ts'
import type { Wave } from '../wave/wave.ts'
import { announceWave, COORDINATOR, publish } from './inbox.ts'
import type { Loop } from './loop.ts'
import type { State } from './state.ts'

/** The last wave of a chain reaches its hats, and with it what earlier stages had for others. */
export function deliverChain(state: State, loop: Loop, wave: Wave): void {
  for (const id of wave.chain.waiting) {
    const earlier = state.merged.get(id)
    if (earlier !== undefined) deliverResults(state, earlier)
  }
  deliverResults(state, wave)
  addressAggregator(state, loop, wave)
}

function deliverResults(state: State, wave: Wave): void {
  const receivers = new Set<string>()
  for (const event of resultsOf(wave)) {
    if (!wave.passedOn.has(event)) receivers.add(receiver(state, event))
  }
  for (const hat of receivers) announceWave(state, hat, wave.id)
  const failed = wave.works.some((work) => work.outcome?.class === 'failure')
  const unheard = state.topology.receiver(WORKER_FAILED) === null
  if (failed && unheard && wave.aggregators.length === 0) announceWave(state, COORDINATOR, wave.id)
}

/** Failures that are new in this wave go to the hat that asks for them. */
export function publishFailures(state: State, wave: Wave): void {
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

/** Accepted events of a wave, by index. */
export function resultsOf(wave: Wave): readonly Event[] {
  return wave.works.flatMap((work) => (work.outcome?.class === 'result' ? work.outcome.events : []))
}

function receiver(state: State, event: Event): string {
  return state.topology.receiver(event.topic)?.id ?? COORDINATOR
}

import type { HatId } from '../hat.ts'
import type { PlanRules } from '../wave/plan.ts'
import type { Player } from '../wave/wave.ts'
import { backendOf, playerOf } from './backends.ts'
import { controlTopics } from './control-topics.ts'
import type { State } from './state.ts'

/** What planning a wave must know of the run. */
export function planRules(state: State): PlanRules {
  const { features } = state.rules
  return {
    topology: state.topology,
    control: controlTopics(state),
    maxWaveItems: features.maxWaveItems,
    maxConcurrency: features.maxConcurrency,
    activationsLeft: (hat) => activationsLeft(state, hat),
    allowed: null,
    isKnown: (id) => state.knownWaves.has(id),
    reuse: { adoptable: state.adoptable, playerOf: (hat) => playerOfHat(state, hat) },
  }
}

function playerOfHat(state: State, hat: HatId): Player | null {
  const backend = backendOf(state, { hat })
  return backend === undefined ? null : playerOf(backend)
}

/** What is counted already, and what will be: the iteration at work, and items that wait for their first start. */
function activationsLeft(state: State, hat: HatId): number {
  const limit = state.topology.hat(hat)?.maxActivations
  if (limit === undefined) return Infinity
  let promised = state.loop?.current?.hats.includes(hat) ? 1 : 0
  for (const wave of state.waves.values()) {
    const queue = wave.queues.get(hat)
    for (const work of queue?.items.slice(queue.head) ?? []) if (work.attempts === 0) promised += 1
  }
  return limit - (state.activations.get(hat) ?? 0) - promised
}

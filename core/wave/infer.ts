import type { Event } from '../event.ts'
import type { HatId } from '../hat.ts'
import type { Topology } from '../topology.ts'
import type { Dispatch } from './wave.ts'

export interface Inferred {
  readonly waves: readonly Dispatch[]
  /** Events that stay ordinary, in order. */
  readonly rest: readonly Event[]
}

/**
 * Plain events of one iteration that form waves of their own accord (contract/waves §6.4):
 * two or more whose receivers have no `aggregate` and feed the same aggregator.
 */
export function inferWaves(plain: readonly Event[], topology: Topology, newId: () => string): Inferred {
  const groups = new Map<HatId, Event[]>()
  for (const event of plain) {
    const aggregator = aggregatorFor(event, topology)
    if (aggregator !== null) groups.set(aggregator, [...(groups.get(aggregator) ?? []), event])
  }
  const taken = new Set<Event>()
  const waves: Dispatch[] = []
  for (const events of groups.values()) {
    if (!makesAWave(events, topology)) continue
    for (const event of events) taken.add(event)
    waves.push({
      id: newId(),
      inferred: true,
      items: new Map(events.map((event, index) => [index, event])),
      total: events.length,
    })
  }
  return { waves, rest: plain.filter((event) => !taken.has(event)) }
}

function aggregatorFor(event: Event, topology: Topology): HatId | null {
  const hat = topology.receiver(event.topic)
  if (hat === null || hat.aggregate !== undefined) return null
  return topology.downstream(hat.id).find((one) => one.aggregate !== undefined)?.id ?? null
}

/** Events for one single hat of concurrency 1 stay ordinary. */
function makesAWave(events: readonly Event[], topology: Topology): boolean {
  if (events.length < 2) return false
  const hats = new Set(events.map((event) => topology.receiver(event.topic)))
  return hats.size > 1 || [...hats].some((hat) => hat !== null && hat.concurrency > 1)
}

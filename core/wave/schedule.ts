import type { HatId } from '../hat.ts'
import type { Wave, Work } from './wave.ts'

/** What bounds the starts of this moment beside the hats' own concurrency. */
export interface Places {
  /** Agents that may start in all. */
  readonly room: number
  readonly backendOf: (hat: HatId) => string
  /** Free places of backends that are held back; a backend that is missing here is free. */
  readonly free: ReadonlyMap<string, number>
}

/**
 * Takes the next items that may start now, lowest index first within each wave (contract/waves §7): no hat of a wave
 * above its concurrency; an item whose hat or backend is full lets the next one pass.
 * Only looks: the start itself is a fact, and that takes the item from its queue.
 */
export function startable(waves: Iterable<Wave>, places: Places): readonly Work[] {
  const chosen: Work[] = []
  const used = new Map<string, number>()
  for (const wave of waves) {
    if (wave.queued === 0 || wave.deadlinePassed) continue
    const taken = new Map<HatId, number>()
    while (chosen.length < places.room) {
      const next = lowestHead(wave, taken, (hat) => isFree(places, used, hat))
      if (next === null) break
      count(taken, next.hat)
      count(used, places.backendOf(next.hat))
      chosen.push(next)
    }
    if (chosen.length >= places.room) break
  }
  return chosen
}

/** The lowest item among the heads of those queues whose hat has a free place. */
function lowestHead(
  wave: Wave,
  taken: ReadonlyMap<HatId, number>,
  hasPlace: (hat: HatId) => boolean,
): Work | null {
  let lowest: Work | null = null
  for (const [hat, queue] of wave.queues) {
    const skip = taken.get(hat) ?? 0
    const free = (wave.hats[hat]?.concurrency ?? 1) - (wave.active.get(hat) ?? 0) - skip
    const head = queue.items[queue.head + skip]
    if (free <= 0 || head === undefined || !hasPlace(hat)) continue
    if (lowest === null || head.index < lowest.index) lowest = head
  }
  return lowest
}

function isFree({ backendOf, free }: Places, used: ReadonlyMap<string, number>, hat: HatId): boolean {
  if (free.size === 0) return true
  const backend = backendOf(hat)
  return (free.get(backend) ?? Number.POSITIVE_INFINITY) > (used.get(backend) ?? 0)
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

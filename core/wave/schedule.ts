import type { Hat, HatId } from '../hat.ts'
import type { FreePlaces } from './throttle.ts'
import type { Wave, Work } from './wave.ts'

/** What bounds the starts of this moment beside the hats' own concurrency. */
export interface Places {
  /** Agents that may start in all. */
  readonly room: number
  readonly backendOf: (hat: HatId) => string
  /** Free places of the backend that plays a hat, where it is held back; null: it is not. */
  readonly free: (hat: HatId) => FreePlaces | null
  /** The item will not be tried again. */
  readonly isLast: (work: Work, hat: Hat) => boolean
}

export interface Startable {
  readonly works: readonly Work[]
  /** Backends for which an item with a place of its own has to wait. */
  readonly heldBack: ReadonlySet<string>
}

/**
 * Takes the next items that may start now, lowest index first within each wave (contract/waves §7): no hat of a wave
 * above its concurrency; an item whose hat or backend is full lets the next one pass.
 * Only looks: the start itself is a fact, and that takes the item from its queue.
 */
export function startable(waves: Iterable<Wave>, places: Places): Startable {
  const works: Work[] = []
  const used = new Map<string, number>()
  const heldBack = new Set<string>()
  const hasPlace = (work: Work, hat: Hat): boolean => {
    const backend = places.backendOf(work.hat)
    const free = places.free(work.hat)
    if (free === null) return true
    const left = places.isLast(work, hat) ? Math.min(free.any, free.last) : free.any
    if (left > (used.get(backend) ?? 0)) return true
    heldBack.add(backend)
    return false
  }
  const runsAlone = (work: Work, wave: Wave): boolean => {
    const hat = wave.hats[work.hat]
    return hat !== undefined && places.free(work.hat) !== null && places.isLast(work, hat)
  }
  for (const wave of waves) {
    if (wave.queued === 0 || wave.deadlinePassed) continue
    const taken = new Map<HatId, number>()
    while (works.length < places.room) {
      const next = lowestHead(wave, taken, hasPlace)
      if (next === null) break
      count(taken, next.hat)
      const backend = places.backendOf(next.hat)
      used.set(backend, runsAlone(next, wave) ? Number.POSITIVE_INFINITY : (used.get(backend) ?? 0) + 1)
      works.push(next)
    }
    if (works.length >= places.room) break
  }
  return { works, heldBack }
}

/** The lowest item among the heads of those queues whose hat has a free place. */
function lowestHead(
  wave: Wave,
  taken: ReadonlyMap<HatId, number>,
  hasPlace: (work: Work, hat: Hat) => boolean,
): Work | null {
  let lowest: Work | null = null
  for (const [id, queue] of wave.queues) {
    const hat = wave.hats[id]
    const skip = taken.get(id) ?? 0
    const free = (hat?.concurrency ?? 1) - (wave.active.get(id) ?? 0) - skip
    const head = queue.items[queue.head + skip]
    if (free <= 0 || hat === undefined || head === undefined || !hasPlace(head, hat)) continue
    if (lowest === null || head.index < lowest.index) lowest = head
  }
  return lowest
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

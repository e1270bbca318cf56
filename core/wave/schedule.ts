import type { Wave, Work } from './wave.ts'

/**
 * Takes the next items that may start now, at most `room` of them, lowest index first within each wave
 * (contract/waves §7): no hat of a wave above its concurrency; an item whose hat is full lets the next one pass.
 * Only looks: the start itself is a fact, and that takes the item from its queue.
 */
export function startable(waves: Iterable<Wave>, room: number): readonly Work[] {
  const chosen: Work[] = []
  for (const wave of waves) {
    if (wave.queued === 0 || wave.deadlinePassed) continue
    const taken = new Map<string, number>()
    while (chosen.length < room) {
      const next = lowestHead(wave, taken)
      if (next === null) break
      taken.set(next.hat, (taken.get(next.hat) ?? 0) + 1)
      chosen.push(next)
    }
    if (chosen.length >= room) break
  }
  return chosen
}

/** The lowest item among the heads of those queues whose hat has a free place. */
function lowestHead(wave: Wave, taken: ReadonlyMap<string, number>): Work | null {
  let lowest: Work | null = null
  for (const [hat, queue] of wave.queues) {
    const skip = taken.get(hat) ?? 0
    const free = (wave.hats[hat]?.concurrency ?? 1) - (wave.active.get(hat) ?? 0) - skip
    const head = queue.items[queue.head + skip]
    if (free > 0 && head !== undefined && (lowest === null || head.index < lowest.index)) lowest = head
  }
  return lowest
}

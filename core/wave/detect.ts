import { blobKey } from '../blob.ts'
import type { Event } from '../event.ts'
import type { Dispatch, WaveId } from './wave.ts'

/**
 * True if a line of the main file dispatches an item of a wave (contract/waves §6.1): it has a wave id and a total.
 * Without a total it does so too, unless a wave of that id is known: then it is an ordinary event of that worker's hat.
 */
export function isDispatch(event: Event, isKnown: (id: WaveId) => boolean): boolean {
  if (event.wave === undefined || event.waveStatus !== undefined) return false
  return event.wave.total !== undefined || !isKnown(event.wave.id)
}

/** Adds a dispatch line to the group of its id (contract/waves §6.2). Returns a warning where the line contradicts another. */
export function collectDispatch(dispatches: Dispatch[], event: Event): string | null {
  const tag = event.wave
  if (tag === undefined) throw new Error('a dispatch line has a wave tag')
  let group = dispatches.find((one) => one.id === tag.id)
  if (group === undefined) {
    group = { id: tag.id, inferred: false, items: new Map(), total: tag.total ?? 0 }
    dispatches.push(group)
  }
  const warnings: string[] = []
  if (tag.total !== undefined && group.items.size > 0 && tag.total !== group.total) {
    warnings.push(`wave ${tag.id}: lines name totals ${group.total} and ${tag.total}; the largest counts`)
  }
  const wanted = tag.index ?? nextFree(group)
  const there = group.items.get(wanted)
  if (there === undefined) {
    group.items.set(wanted, event)
  } else if (there.topic !== event.topic || blobKey(there.payload) !== blobKey(event.payload)) {
    const index = nextFree(group)
    warnings.push(`wave ${tag.id}: index ${wanted} is given twice; the later line becomes ${index}`)
    group.items.set(index, event)
  }
  group.total = Math.max(group.total, tag.total ?? 0, group.items.size)
  return warnings.length === 0 ? null : warnings.join('; ')
}

/** True if an index below the total has no line yet. Looks no further than there are lines: a total may be anything. */
export function isIncomplete({ items, total }: Dispatch): boolean {
  for (let index = 0; index < total; index++) if (!items.has(index)) return true
  return false
}

/** Indices below the total that have no line yet. Only for a total that was accepted. */
export function missingIndices(dispatch: Dispatch): readonly number[] {
  const missing: number[] = []
  for (let index = 0; index < dispatch.total; index++) if (!dispatch.items.has(index)) missing.push(index)
  return missing
}

function nextFree(group: Dispatch): number {
  let index = group.items.size
  while (group.items.has(index)) index++
  for (let lower = 0; lower < index; lower++) if (!group.items.has(lower)) return lower
  return index
}

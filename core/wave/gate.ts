import type { Status, Wave } from './wave.ts'

/** The gate of `wait_for_all`: every item is settled. */
export function isComplete(wave: Wave): boolean {
  return wave.settled === wave.works.length
}

/** Items that gave a result: `ok` and `partial`. */
export function received(wave: Wave): number {
  return wave.works.filter((work) => work.outcome?.class === 'result').length
}

/** Items whose worker never started; those for one reason. */
export function neverStarted(wave: Wave, why?: 'deadline'): number {
  return wave.works.filter(({ outcome }) => {
    const cause = outcome?.cause
    return cause?.kind === 'never-started' && (why === undefined || cause.why === why)
  }).length
}

/** N of "worker i of N": above the number of items where an index in between is no item. */
export function places(wave: Wave): number {
  return Math.max(wave.total, (wave.works.at(-1)?.index ?? 0) + 1)
}

/** Why the wave completed: `timeout` if the time of a worker or of the wave ran out, else `all` (contract/waves §10). */
export function completionReason(wave: Wave): 'all' | 'timeout' {
  const ranOut = wave.works.some(
    (work) => work.outcome?.cause.kind === 'timeout' || work.outcome?.status === 'timeout',
  )
  return ranOut || wave.deadlinePassed ? 'timeout' : 'all'
}

/** How many items ended with each status. */
export function countStatuses(wave: Wave): Readonly<Record<string, number>> {
  const counts: Partial<Record<Status, number>> = {}
  for (const work of wave.works) {
    if (work.outcome) counts[work.outcome.status] = (counts[work.outcome.status] ?? 0) + 1
  }
  return counts
}

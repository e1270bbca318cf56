import type { RunLook, RunSummary } from './summary.ts'

/**
 * The runs as the list tells of them, where results that a later run has taken over (`ralph wave run --resume`) no longer count
 * as never handed on: that run holds them itself. Pure.
 */
export function creditTakenOver(looks: readonly RunLook[]): readonly RunSummary[] {
  const holders = new Map<string, number>()
  const resumed = new Map<string, number>()
  for (const { summary, takenOver } of looks) {
    const at = summary.started_at ?? 0
    for (const address of takenOver) {
      holders.set(address, Math.max(at, holders.get(address) ?? 0))
      const run = address.slice(0, address.indexOf('/'))
      resumed.set(run, Math.max(at, resumed.get(run) ?? 0))
    }
  }
  return looks.map(({ summary, paid }) => {
    const since = summary.started_at ?? Number.POSITIVE_INFINITY
    // What was under way in a crashed run was read, or done anew, by whoever took the rest over.
    const isLeft = (address: string | null): boolean =>
      ((address === null ? resumed.get(summary.run_id) : holders.get(address)) ?? 0) <= since
    return {
      ...summary,
      open_waves: summary.open_waves.map((wave) => ({
        ...wave,
        unmerged: (paid.get(wave.wave_id) ?? []).filter(isLeft).length,
      })),
    }
  })
}

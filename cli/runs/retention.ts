import type { RunSummary } from './summary.ts'

/** Which runs are to be removed. With both, a run goes only if both let it go. */
export interface RetentionRule {
  /** The newest of each workspace that stay. */
  readonly keep?: number
  /** Milliseconds since something last happened in a run. */
  readonly olderThanMs?: number
}

export interface Retention {
  /** Oldest first. */
  readonly remove: readonly RunSummary[]
  /** Those that the rule would let go, and why they stay. */
  readonly spared: readonly { readonly run: RunSummary; readonly why: Spared }[]
}

/**
 * `running`: a process works on it. `unmerged`: there are results, paid for, that no aggregator and no reader has got.
 * `damaged`: nobody can tell whether there are.
 */
export type Spared = 'running' | 'unmerged' | 'damaged'

/** Decides what goes (`ralph clean --keep`, `--older-than`). `now` is Unix milliseconds. Pure. */
export function planRetention(runs: readonly RunSummary[], rule: RetentionRule, now: number): Retention {
  const remove: RunSummary[] = []
  const spared: { run: RunSummary; why: Spared }[] = []
  for (const [, ofOne] of Map.groupBy(runs, (run) => run.workspace)) {
    const newest = ofOne.toSorted((a, b) => b.last_at - a.last_at)
    for (const [place, run] of newest.entries()) {
      if (place < (rule.keep ?? 0)) continue
      if (rule.olderThanMs !== undefined && now - run.last_at <= rule.olderThanMs) continue
      const why = reasonToSpare(run)
      if (why === null) remove.push(run)
      else spared.push({ run, why })
    }
  }
  return { remove: remove.toSorted((a, b) => a.last_at - b.last_at), spared }
}

function reasonToSpare(run: RunSummary): Spared | null {
  if (run.state === 'running') return 'running'
  if (run.state === 'damaged') return 'damaged'
  return run.open_waves.some((wave) => wave.unmerged > 0) ? 'unmerged' : null
}

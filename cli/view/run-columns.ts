import type { RunSummary } from '../runs/summary.ts'
import { formatStamp } from './duration.ts'
import { formatBytes, runCost, runState } from './run-state.ts'

type Columns = Readonly<Record<string, (run: RunSummary) => string>>

export interface ColumnChoice {
  /** Runs of other workspaces are among them. */
  readonly withWorkspace: boolean
  /** Width of the terminal; null: as wide as it takes. */
  readonly columns: number | null
}

/** The columns of the list of runs; what stands last may be cut. A narrow terminal gets fewer. */
export function runColumns({ withWorkspace, columns }: ColumnChoice): Columns {
  const isWide = columns === null || columns >= WIDE
  return {
    run: (run) => run.run_id,
    ...(isWide ? { kind: (run: RunSummary) => run.kind ?? '?' } : {}),
    state: runState,
    last: (run) => shortStamp(run.last_at),
    ...(isWide ? { iter: (run: RunSummary) => count(run.iterations) } : {}),
    ...(isWide ? { agents: (run: RunSummary) => count(run.agents_started) } : {}),
    cost: (run) => (run.state === 'damaged' ? '?' : runCost(run)),
    open: (run) => run.open_waves.map(({ settled, total }) => `${settled}/${total}`).join(', ') || '–',
    ...(isWide ? { size: (run: RunSummary) => formatBytes(run.bytes) } : {}),
    ...(withWorkspace ? { workspace: (run: RunSummary) => run.workspace ?? '?' } : {}),
    objective: (run) => run.problem ?? run.objective ?? '',
  }
}

const WIDE = 120

const count = (n: number | null): string => (n === null ? '–' : String(n))

/** `11-30 14:03`: the year stands in the run's id. */
function shortStamp(at: number): string {
  return formatStamp(new Date(at).toISOString()).slice('2026-'.length, -':00'.length)
}

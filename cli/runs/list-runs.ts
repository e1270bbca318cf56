import { existsSync } from 'node:fs'
import { findAllRuns, isOfWorkspace } from '../world/known-runs.ts'
import { creditTakenOver } from './handed-on.ts'
import { lookInto, type RunSummary } from './summary.ts'

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The runs of a workspace, or all that are kept; the one in which something happened last comes first. */
export function listRuns(place: Place, all: boolean): readonly RunSummary[] {
  const looks = findAllRuns(place)
    .filter((run) => all || isOfWorkspace(run, place.cwd))
    .map((run) => lookInto(run, place.env))
    // What was removed meanwhile is no damaged run.
    .filter(({ summary }) => summary.state !== 'damaged' || existsSync(summary.folder))
  return [...creditTakenOver(looks)].sort((a, b) => b.last_at - a.last_at || (a.run_id < b.run_id ? 1 : -1))
}

/** Damaged runs of which nobody can tell where they belong: in no list but the whole one. */
export function countStrays(place: Place): number {
  return findAllRuns(place).filter((run) => run.workspace === null).length
}

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import { lastIndexedRun } from './run-index.ts'
import { readRunMarker } from './workspace.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The run that `--continue` and `status` mean: the named one, else the marker's, else the last one in the index; null if there is none. */
export function currentRun(env: Env, workspace: string, named?: string): string | null {
  return named ?? readRunMarker(workspace) ?? lastIndexedRun(env, workspace)
}

/** Folder of a run: in the state folder, else in the workspace; null if there is none. */
export function findRunFolder(env: Env, workspace: string, runId: string): string | null {
  if (!/^[A-Za-z0-9._-]+$/.test(runId) || runId.startsWith('.')) return null
  const state = stateFolder(env)
  const places = [
    ...(state === null ? [] : [join(resolve(state), 'runs', runId)]),
    join(workspace, RALPH_DIR, 'runs', runId),
  ]
  return places.find((dir) => existsSync(join(dir, 'journal.jsonl'))) ?? null
}

export function noEarlierRun(named?: string): RalphError {
  return named === undefined
    ? new RalphError('no_run', 'there is no earlier run in this workspace', {
        hint: 'start one with ralph run',
      })
    : new RalphError('no_run', `there is no run ${named}`, {
        hint: 'ralph status names the last run of a workspace',
      })
}

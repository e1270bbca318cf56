import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import { indexedRuns, lastIndexedRun } from './run-index.ts'
import { readRunMarker } from './workspace.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The run that `--continue` and `status` mean if none is named: the marker's, else the last one in the index; null if there is none. */
export function currentRun(env: Env, workspace: string): string | null {
  return readRunMarker(workspace) ?? lastIndexedRun(env, workspace)
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

/** Nothing that `--continue` or `status` could mean by itself. */
export function noEarlierRun(env: Env, workspace: string): RalphError {
  if (indexedRuns(env, workspace).every((id) => findRunFolder(env, workspace, id) === null)) {
    return new RalphError('no_run', 'there is no earlier run in this workspace', {
      hint: 'start one with ralph run',
    })
  }
  return new RalphError('no_run', 'the last run of this workspace is there no more', {
    hint: '`ralph runs` lists the others; `ralph run --continue RUN` goes on with one of them',
  })
}

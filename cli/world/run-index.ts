import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appendText } from '../../core/events-file/append.ts'
import { stateFolder } from '../../core/journal/paths.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Notes in the state folder that a run belongs to a workspace: agents may delete the workspace's own marker. */
export function indexRun(env: Env, workspace: string, runId: string): void {
  const path = indexPath(env, workspace)
  if (path === null) return
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  appendText(path, `${runId}\n`)
}

/** The last run of a workspace by the index, or null. */
export function lastIndexedRun(env: Env, workspace: string): string | null {
  return indexedRuns(env, workspace).at(-1) ?? null
}

/** All runs of a workspace by the index, in order. */
export function indexedRuns(env: Env, workspace: string): readonly string[] {
  const path = indexPath(env, workspace)
  if (path === null) return []
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.filter((line) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(line))
  } catch {
    return []
  }
}

/** Where the index of a workspace lies, or null without a state folder. */
export function indexPath(env: Env, workspace: string): string | null {
  const state = stateFolder(env)
  if (state === null) return null
  return join(state, 'workspaces', createHash('sha256').update(workspace).digest('hex').slice(0, 32))
}

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
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

/**
 * Takes a run out of the index. `wasCurrent`: it was the one that `--continue` means; then no other takes its place by itself,
 * since going on with a run costs money and should be meant.
 */
export function unindexRun(
  env: Env,
  workspace: string,
  of: { readonly id: string; readonly wasCurrent: boolean },
): void {
  const path = indexPath(env, workspace)
  if (path === null || !existsSync(path)) return
  appendText(path, `-${of.id}\n${of.wasCurrent ? '-\n' : ''}`)
}

/** The last run of a workspace by the index; null if there is none, or if it was removed. */
export function lastIndexedRun(env: Env, workspace: string): string | null {
  return readIndex(env, workspace).last
}

/** All runs of a workspace by the index, in order. */
export function indexedRuns(env: Env, workspace: string): readonly string[] {
  return readIndex(env, workspace).ids
}

/** The index is only appended to: a run, `-` and a run that was removed, or `-` alone where the last one was. */
function readIndex(
  env: Env,
  workspace: string,
): { readonly ids: readonly string[]; readonly last: string | null } {
  const path = indexPath(env, workspace)
  const ids = new Set<string>()
  let last: string | null = null
  for (const line of path === null ? [] : readLines(path)) {
    const removed = line.startsWith('-')
    const id = removed ? line.slice(1) : line
    if (removed) {
      ids.delete(id)
      if (id === '' || id === last) last = null
    } else if (RUN_ID.test(id)) {
      ids.add(id)
      last = id
    }
  }
  return { ids: [...ids], last }
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
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

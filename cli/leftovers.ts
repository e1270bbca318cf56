import { existsSync, readdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { checkOwnFolders, isInside } from '../core/events-file/inside.ts'
import { RALPH_DIR } from '../core/events-file/target.ts'
import { findAllRuns, isOfWorkspace, type KnownRun } from './world/known-runs.ts'
import { isHeld } from './world/run-hold.ts'
import { indexPath } from './world/run-index.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * What runs have left (contract/loop §16, `clean`): events files, markers, worker files, control file, the folders of the
 * workspace's runs with their links, and scratchpads below `.ralph/`. Nothing else of `agent/`. Absolute paths.
 */
export function findLeftovers(
  workspace: string,
  env: Env,
  scratchpads: readonly string[],
): readonly string[] {
  const dir = join(workspace, RALPH_DIR)
  checkOwnFolders(dir)
  const pads = scratchpads
    .map((path) => resolve(workspace, path))
    .filter((path) => isInside(dir, path) && existsSync(path))
  const files = names(dir)
    .filter((name) => OWN.test(name))
    .map((name) => join(dir, name))
  return [...new Set([...files, ...runFolders(workspace, env), ...pads])]
}

/** The folder of diagnostics, if it is there. */
export function findDiagnostics(workspace: string): readonly string[] {
  const dir = join(workspace, RALPH_DIR)
  checkOwnFolders(dir)
  return [join(dir, 'diagnostics')].filter(existsSync)
}

const OWN =
  /^(events.*\.jsonl|current-(events|loop-id).*|wave-.*\.(jsonl|rules\.json)|stop-requested|outbox)$/

/**
 * Folders of the workspace's runs, loops and waves from the shell, then links and index. A run that somebody works on stays: for
 * loops the workspace's lock was asked before, a wave from the shell holds only itself.
 */
function runFolders(workspace: string, env: Env): readonly string[] {
  const links = join(workspace, RALPH_DIR, 'runs')
  const index = indexPath(env, workspace)
  return [
    ...runsOf(workspace, env)
      .filter(({ dir }) => !dir.startsWith(links + sep) && !isHeld(dir))
      .map(({ dir }) => dir),
    ...(existsSync(links) ? [links] : []),
    ...(index !== null && existsSync(index) ? [index] : []),
  ]
}

/** The workspace's runs, loops and waves from the shell. */
export function runsOf(workspace: string, env: Env): readonly KnownRun[] {
  return findAllRuns({ env, cwd: workspace }).filter((run) => isOfWorkspace(run, workspace))
}

function names(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { RALPH_DIR } from '../core/events-file/target.ts'
import { stateFolder } from '../core/journal/paths.ts'
import { indexedRuns, indexPath } from './world/run-index.ts'

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
  const pads = scratchpads
    .map((path) => resolve(workspace, path))
    .filter((path) => path.startsWith(dir + sep) && existsSync(path))
  const files = names(dir)
    .filter((name) => OWN.test(name))
    .map((name) => join(dir, name))
  return [...new Set([...files, ...runFolders(workspace, env), ...pads])]
}

/** The folder of diagnostics, if it is there. */
export function findDiagnostics(workspace: string): readonly string[] {
  return [join(workspace, RALPH_DIR, 'diagnostics')].filter(existsSync)
}

const OWN =
  /^(events.*\.jsonl|current-(events|loop-id).*|wave-.*\.(jsonl|rules\.json)|stop-requested|outbox)$/

/** Folders of runs by their links in the workspace and by the index of the state folder, then links and index themselves. */
function runFolders(workspace: string, env: Env): readonly string[] {
  const links = join(workspace, RALPH_DIR, 'runs')
  const state = stateFolder(env)
  const home = state === null ? null : join(resolve(state), 'runs')
  const linked = names(links).flatMap((name) => targetOf(join(links, name)) ?? [])
  const indexed = home === null ? [] : indexedRuns(env, workspace).map((id) => join(home, id))
  const index = indexPath(env, workspace)
  return [
    // A link that leads anywhere else is only a link.
    ...[...linked, ...indexed].filter(
      (path) => home !== null && path.startsWith(home + sep) && existsSync(path),
    ),
    ...(existsSync(links) ? [links] : []),
    ...(index !== null && existsSync(index) ? [index] : []),
  ]
}

function targetOf(path: string): string | null {
  return lstatSync(path).isSymbolicLink() ? resolve(path, '..', readlinkSync(path)) : null
}

function names(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

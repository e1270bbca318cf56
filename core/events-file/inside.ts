import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { RalphError } from '../errors.ts'

/** Folders of `.ralph/` in which ralph itself writes and removes files. */
const OWN_FOLDERS = ['', 'agent', 'diagnostics', 'outbox', 'runs']

/**
 * Throws `link_out` if `.ralph/`, or a folder of ours in it, is a link that leads out of the workspace: what is written there,
 * moved or cleaned away would be somebody else's. `dir` is `.ralph/`, absolute.
 */
export function checkOwnFolders(dir: string): void {
  for (const name of OWN_FOLDERS) {
    const path = join(dir, name)
    if (!isLink(path)) continue
    const [target, workspace] = [realPath(path), realPath(dirname(dir))]
    if (target !== null && workspace !== null && target.startsWith(workspace + sep)) continue
    throw new RalphError(
      'link_out',
      `${path} is a link that leads out of the workspace, to ${target ?? 'nowhere'}`,
      {
        hint: 'ralph writes and removes files there: put a folder in its place, or a mount',
      },
    )
  }
}

/** True if `path` lies below `dir`, in name and, as far as it exists, in truth: no link leads out. */
export function isInside(dir: string, path: string): boolean {
  if (!path.startsWith(dir + sep)) return false
  let parent = dirname(path)
  while (parent !== dir && realPath(parent) === null) parent = dirname(parent)
  const [realDir, realParent] = [realPath(dir), realPath(parent)]
  return realDir !== null && realParent !== null && (realParent + sep).startsWith(realDir + sep)
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Tells whether a path, or the file behind its links, lies in the workspace. The user's own config never does. */
export function createInside(workspace: string, home: string | null): (path: string) => boolean {
  const real = realPathOf(workspace)
  const own = home === null ? null : join(home, '.ralph', 'config.yml')
  return (path) =>
    path !== own && (isWithin(workspace, path) || isWithin(real, path) || isWithin(real, realPathOf(path)))
}

/** The path without links; as it is where nothing is there. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

import { lstatSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Restricted } from '../core/access.ts'
import type { Backend, UndoingFile } from '../core/backend/contract.ts'
import { readRegularFile } from '../core/regular-file.ts'

/**
 * Why no agent of a backend may start at this level in a workspace: it names the first file there that would undo the
 * level, and says why. Null: there is none. Never throws: a file that cannot be looked into counts.
 */
export function findUndoing(
  { name, traits }: Pick<Backend, 'name' | 'traits'>,
  level: Restricted,
  workspace: string,
): string | null {
  for (const file of traits.enforces[level]?.undoneByFiles ?? []) {
    for (const folder of file.above === true ? foldersOfRepository(workspace) : [workspace]) {
      const path = join(folder, file.path)
      if (isThere(path, file))
        return `${relative(workspace, path)} would undo access "${level}" of backend "${name}": ${file.why}`
    }
  }
  return null
}

/** What a person can do about it. */
export const UNDOING_HINT =
  'remove that file, or give full access and put a sandbox in front of the program: cli.wrap (docs/access.md)'

/** The workspace and the folders above it, up to the root of its repository; without one, the workspace alone. */
function foldersOfRepository(workspace: string): readonly string[] {
  const folders: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.push(folder)
    if (exists(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) return [workspace]
  }
}

function isThere(path: string, { holding }: UndoingFile): boolean {
  if (!exists(path)) return false
  if (holding === undefined) return true
  try {
    return new RegExp(holding, 'im').test(readRegularFile(path, MAX_BYTES).toString('utf8'))
  } catch (error) {
    // A folder holds no lines; what cannot be read here may be readable to the program.
    return !(error instanceof Error && 'code' in error && error.code === 'EISDIR')
  }
}

const MAX_BYTES = 1024 * 1024

/** A link that leads nowhere counts, for it may lead somewhere when the program looks; and so does what may not be looked at. */
function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    return !ABSENT.has(error instanceof Error && 'code' in error ? error.code : undefined)
  }
}

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

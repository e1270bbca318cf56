import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { osCodeOf } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import { checkOwnFolders, isInside } from './inside.ts'

/** Where `ralph emit` was called, and with what. */
export interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Where a line goes (contract/waves §5.1). */
export interface Target {
  readonly workspace: string
  /** Absolute. */
  readonly path: string
  /** True if a person named the file: only then links are followed. */
  readonly named: boolean
  /** What the writer should know: an ignored `--file` or marker. */
  readonly notes: readonly string[]
}

/** The folder of the workspace that holds what `ralph` writes. */
export const RALPH_DIR = '.ralph'
/** The marker, relative to the workspace: its one line names the run's events file, relative to the workspace. */
export const MARKER = join(RALPH_DIR, 'current-events')

/** `RALPH_EVENTS_FILE`, else `--file`, else the file that the marker names, else the fallback of the workspace. */
export function resolveTarget(place: Place, file?: string): Target {
  const { cwd, env } = place
  const workspace = findWorkspace(place)
  if (env.RALPH_EVENTS_FILE) {
    const notes =
      file === undefined
        ? []
        : [
            '--file is ignored, since RALPH_EVENTS_FILE is set. To send a file as the payload, use --payload-file.',
          ]
    return { workspace, path: resolve(cwd, env.RALPH_EVENTS_FILE), named: false, notes }
  }
  if (file !== undefined) return { workspace, path: resolve(cwd, file), named: true, notes: [] }
  checkOwnFolders(join(workspace, RALPH_DIR))
  const fallback = join(workspace, RALPH_DIR, 'events.jsonl')
  const marked = readMarker(workspace)
  if (marked === null) return { workspace, path: fallback, named: false, notes: [] }
  if (isInside(join(workspace, RALPH_DIR), marked)) {
    const shown = relative(workspace, marked)
    const notes = existsSync(marked)
      ? []
      : [`${MARKER} names ${shown}, which was not there: it is made anew.`]
    return { workspace, path: marked, named: false, notes }
  }
  const note = `${MARKER} is ignored: it names a file outside ${RALPH_DIR}/. The event goes to ${relative(workspace, fallback)}.`
  return { workspace, path: fallback, named: false, notes: [note] }
}

/** `RALPH_WORKSPACE_ROOT`, else the nearest directory upwards with `.ralph/` or `.git`, else the current one. */
export function findWorkspace(place: Place): string {
  const { cwd, env } = place
  if (env.RALPH_WORKSPACE_ROOT) return resolve(cwd, env.RALPH_WORKSPACE_ROOT)
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (isDirectory(join(dir, RALPH_DIR)) || existsSync(join(dir, '.git'))) return dir
    if (dir === dirname(dir)) return cwd
  }
}

/** True while the workspace has a marker, which a run sets. */
export function hasMarker(workspace: string): boolean {
  return existsSync(join(workspace, MARKER))
}

/** More is no path. */
const MARKER_BYTES = 64 * 1024

/** The absolute path that the marker names; null without a marker or with an empty one. */
export function readMarker(workspace: string): string | null {
  try {
    const line = readRegularFile(join(workspace, MARKER), MARKER_BYTES).toString().trim()
    return line === '' ? null : resolve(workspace, line)
  } catch (error) {
    if (osCodeOf(error) === 'ENOENT') return null
    throw error
  }
}

function isDirectory(path: string): boolean {
  return existsSync(`${path}${sep}.`)
}

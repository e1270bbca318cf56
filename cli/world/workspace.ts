import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf, RalphError } from '../../core/errors.ts'
import { appendText } from '../../core/events-file/append.ts'
import { checkOwnFolders, isInside } from '../../core/events-file/inside.ts'
import { formatTime } from '../../core/events-file/record.ts'
import { MARKER, RALPH_DIR } from '../../core/events-file/target.ts'
import { readRegularFile } from '../../core/regular-file.ts'

/** Names the last run of the workspace. */
export const RUN_MARKER = join(RALPH_DIR, 'current-loop-id')
export const LOCK_FILE = join(RALPH_DIR, 'loop.lock')
export const STOP_FILE = join(RALPH_DIR, 'stop-requested')

/**
 * Makes `.ralph/`, with a `.gitignore` that covers what ralph itself writes there; an edited one is left alone. Throws
 * `workspace_unwritable`, `link_out`.
 */
export function prepareRalphFolder(workspace: string, scratchpads: readonly string[]): void {
  const dir = join(workspace, RALPH_DIR)
  const path = join(dir, '.gitignore')
  checkOwnFolders(dir)
  try {
    mkdirSync(dir, { recursive: true })
    // A link to nowhere counts as there, too.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
      writeFileSync(path, ignoreRules(scratchpads))
  } catch (error) {
    throw new RalphError('workspace_unwritable', messageOf(error), {
      hint: `the events of a run lie in ${RALPH_DIR}/ of the folder that it works in: that must be a folder with room, and writable`,
      cause: error,
    })
  }
}

/** Makes a new events file, `-2`, `-3`, … behind the stamp if there is one. Returns its absolute path. */
export function createEventsFile(workspace: string, stamp: string): string {
  for (let k = 1; ; k++) {
    const path = join(workspace, RALPH_DIR, `events-${stamp}${k === 1 ? '' : `-${k}`}.jsonl`)
    if (existsSync(path)) continue
    closeSync(openSync(path, 'wx', 0o600))
    return path
  }
}

/** Lets `ralph emit` find the run's events file, and `--continue` the run. Made anew where an agent deleted them. */
export function writeMarkers(workspace: string, of: { eventsFile: string; runId: string }): void {
  mkdirSync(join(workspace, RALPH_DIR), { recursive: true })
  replaceFile(join(workspace, MARKER), `${join(RALPH_DIR, basename(of.eventsFile))}\n`)
  replaceFile(join(workspace, RUN_MARKER), `${of.runId}\n`)
}

/** The run that the marker names, or null. */
export function readRunMarker(workspace: string): string | null {
  try {
    return readRegularFile(join(workspace, RUN_MARKER), 4096).toString().trim() || null
  } catch {
    return null
  }
}

export interface LoopRow {
  readonly iteration: number
  readonly topic: string
  readonly triggered?: string
  readonly payload: string
}

/** Appends a row of the loop's own, for those who read the events file (contract/loop §4.2). Throws the system's error. */
export function appendLoopRow(eventsFile: string, row: LoopRow): void {
  const { iteration, topic, triggered, payload } = row
  const line = { ts: formatTime(new Date()), iteration, hat: 'loop', topic, triggered, payload }
  appendText(eventsFile, `${JSON.stringify(line)}\n`)
}

/** Moves the scratchpads of an earlier run out of the way of a fresh one. Returns warnings for those outside `.ralph/`. */
export function moveScratchpads(workspace: string, paths: readonly string[], to: string): readonly string[] {
  const inside = resolve(workspace, RALPH_DIR)
  const warnings: string[] = []
  for (const path of new Set(paths.map((one) => resolve(workspace, one)))) {
    if (!existsSync(path)) continue
    if (!isInside(inside, path)) {
      warnings.push(`the scratchpad ${path} lies outside ${RALPH_DIR}/ and stays as it is`)
      continue
    }
    if (!statSync(path).isFile()) {
      warnings.push(`the scratchpad ${path} is no file and stays as it is`)
      continue
    }
    mkdirSync(to, { recursive: true, mode: 0o700 })
    moveAcross(path, join(to, padName(inside, path)))
  }
  return warnings
}

/** With another run than the current one, its scratchpads come back and the current ones go to their run's folder. */
export function exchangeScratchpads(
  workspace: string,
  of: { readonly paths: readonly string[]; readonly from: string | null; readonly to: string },
): void {
  if (of.from === null || of.from === of.to) return
  const inside = resolve(workspace, RALPH_DIR)
  moveScratchpads(workspace, of.paths, join(inside, 'runs', of.from, 'scratchpads'))
  for (const path of of.paths.map((one) => resolve(workspace, one))) {
    const kept = join(inside, 'runs', of.to, 'scratchpads', padName(inside, path))
    if (!isInside(inside, path) || !existsSync(kept)) continue
    mkdirSync(dirname(path), { recursive: true })
    moveAcross(kept, path)
  }
}

/** A scratchpad's file in the folder of its run. */
function padName(inside: string, path: string): string {
  return path.slice(inside.length + 1).replaceAll('/', '__')
}

/** More is no scratchpad. */
const MAX_SCRATCHPAD = 1024 * 1024 * 1024

/** The state folder may lie on another file system. */
function moveAcross(from: string, to: string): void {
  const text = readRegularFile(from, MAX_SCRATCHPAD)
  rmSync(to, { force: true })
  writeFileSync(to, text, { mode: 0o600, flag: 'wx', flush: true })
  rmSync(from)
}

/** In one step, so that no reader sees half of it, and never through a link that somebody left there. */
export function replaceFile(path: string, text: string): void {
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, text, { mode: 0o600, flag: 'wx' })
  renameSync(`${path}.new`, path)
}

function ignoreRules(scratchpads: readonly string[]): string {
  const own = scratchpads
    .filter((path) => path.startsWith(`${RALPH_DIR}/`))
    .map((path) => `/${path.slice(RALPH_DIR.length + 1)}`)
  const fixed = [
    '/.gitignore',
    '/events*.jsonl',
    '/wave-*',
    '/current-events*',
    '/current-loop-id*',
    '/loop.lock',
    '/stop-requested',
    '/runs',
    '/diagnostics',
    '/outbox',
  ]
  return `# Written once by ralph: what it makes here for itself.\n${[...fixed, ...new Set(own)].join('\n')}\n`
}

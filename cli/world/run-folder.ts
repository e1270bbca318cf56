import { randomBytes } from 'node:crypto'
import { accessSync, constants, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf, RalphError } from '../../core/errors.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { stateFolder } from '../../core/journal/paths.ts'

export interface RunFolder {
  readonly id: string
  /** Absolute. */
  readonly dir: string
  /** Said where the state folder cannot be used. */
  readonly warning?: string
}

/** UTC `YYYYMMDD-HHMMSS`. */
export function formatStamp(time: Date): string {
  const digits = time.toISOString().replace(/\D/g, '')
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}`
}

export interface FolderRequest {
  /** `primary` for loops, `wave` for waves from the shell. */
  readonly kind: 'primary' | 'wave'
  readonly stamp: string
  /** Null: nothing of this run may lie in the workspace. */
  readonly workspace: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Makes the folder of a new run in the state folder, 0700, and links it from `.ralph/runs` of the workspace.
 * Where the state folder cannot be written, the folder itself lies there. Throws `state_folder`, or the system's error, if neither can be made.
 */
export function createRunFolder(request: FolderRequest): RunFolder {
  const id = `${request.kind}-${request.stamp}-${randomBytes(4).toString('hex')}`
  const state = stateFolder(request.env)
  const link = request.workspace === null ? null : join(request.workspace, RALPH_DIR, 'runs', id)
  try {
    if (state === null) throw new Error('there is no home folder')
    const dir = join(resolve(state), 'runs', id)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    accessSync(dir, constants.W_OK)
    if (link !== null) linkRun(link, dir)
    return { id, dir }
  } catch (error) {
    const why = messageOf(error)
    if (link === null) {
      throw new RalphError('state_folder', `the state folder cannot be used: ${why}`, {
        hint: 'RALPH_STATE_DIR names another one',
        cause: error,
      })
    }
    mkdirSync(link, { recursive: true, mode: 0o700 })
    return { id, dir: link, warning: `the state folder cannot be used (${why}); this run is kept in ${link}` }
  }
}

/** File of a run's folder that tells `ralph wave emit` the run's own limit. */
export const LIMITS_FILE = 'limits.json'

/** Keeps what commands of agents must know of the run's settings. */
export function writeLimits(runDir: string, limits: { readonly maxWaveItems: number }): void {
  writeFileSync(join(runDir, LIMITS_FILE), `${JSON.stringify(limits)}\n`, { mode: 0o600 })
}

/** Makes the link anew if it is missing. */
export function linkRun(link: string, dir: string): void {
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return
  mkdirSync(join(link, '..'), { recursive: true })
  symlinkSync(dir, link)
}

/** A folder that holds `ralph` alone, which is this very binary: first on the PATH of agents. */
export function createBinFolder(runDir: string, executable: string): string {
  const dir = join(runDir, 'bin')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const link = join(dir, 'ralph')
  rmSync(link, { force: true })
  symlinkSync(executable, link)
  return dir
}

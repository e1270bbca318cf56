import { dlopen, FFIType } from 'bun:ffi'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { bootId, isAlive } from '../../core/agent/processes.ts'
import { RalphError } from '../../core/errors.ts'
import { readRegularFile } from '../../core/regular-file.ts'
import { given } from '../given.ts'

/** A lock file that this process holds: the workspace's (`loop.lock`), or that of one run (`run-hold.ts`). */
export interface Lock extends Disposable {
  readonly path: string
  /** Takes the file anew where somebody has deleted it: a lock that no path leads to keeps nobody out. */
  renew(): void
  /** Tells those who ask which run it is held for, once that is known. */
  nameRun(runId: string): void
}

export interface Holder {
  readonly pid: number
  /** RFC 3339. */
  readonly started: string
  /** At most 100 characters. */
  readonly prompt: string
  /** Id of the run; missing until it is known. */
  readonly run?: string
  /** With the pid these name one process for good: another that was given its number is not it. */
  readonly startTime?: string
  readonly bootId?: string
  /** Folder that the run works in. */
  readonly workspace?: string
}

const LOCK_SHARED = 1
const LOCK_EXCLUSIVE = 2
const NOT_BLOCKING = 4

/**
 * Takes the lock file of a workspace, with the operating system's own lock: it goes with the process, whatever ends it.
 * Throws `locked`, which names the holder, if another run has it. With `wait` it tries again until it is free.
 */
export async function takeLock(path: string, holder: Holder, wait: boolean): Promise<Lock> {
  let fd = openLock(path)
  let looks = 0
  while (true) {
    if (tryLock(fd, LOCK_EXCLUSIVE)) {
      if (isNamed(path, fd)) break
      closeSync(fd)
      fd = openLock(path)
    } else if (wait) {
      await Bun.sleep(RETRY_MS)
    } else if (looks++ < LOOKS) {
      await Bun.sleep(LOOK_MS)
    } else {
      closeSync(fd)
      throw lockedBy(path)
    }
  }
  let told = holder
  writeHolder(fd, told)
  return {
    path,
    renew() {
      if (isNamed(path, fd)) return
      const fresh = openLock(path)
      if (!tryLock(fresh, LOCK_EXCLUSIVE)) {
        closeSync(fresh)
        return
      }
      closeSync(fd)
      fd = fresh
      writeHolder(fd, told)
    },
    nameRun(run) {
      told = { ...told, run }
      writeHolder(fd, told)
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/** False for a file that was deleted or replaced meanwhile: who held it has taken the one that stands there now. */
function isNamed(path: string, fd: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino
}

function openLock(path: string): number {
  const kind = lstatSync(path, { throwIfNoEntry: false })
  if (kind !== undefined && !kind.isFile()) {
    throw new RalphError(
      'lock_unusable',
      `${path} is no file but ${kind.isSymbolicLink() ? 'a link' : 'something else'}`,
      {
        hint: 'the lock of the workspace goes there: remove what stands in its place',
      },
    )
  }
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
}

function writeHolder(fd: number, holder: Holder): void {
  ftruncateSync(fd, 0)
  writeSync(fd, `${JSON.stringify(holder)}\n`, 0)
}

const RETRY_MS = 200
/** Somebody who only asks (`isLocked`) holds the file for a moment: that is no other run. */
const LOOKS = 4
const LOOK_MS = 20

function lockedBy(path: string): RalphError {
  return new RalphError('locked', `${nameHolder(readHolder(path))} holds this workspace`, {
    hint: 'wait for it with --exclusive, or end it with `ralph stop` or Ctrl-C in its terminal',
  })
}

/** A holder for a message: `run primary-… (process 4711, since 2026-…)`. */
export function nameHolder(holder: Holder | null): string {
  if (holder === null) return 'another run'
  const since = `process ${holder.pid}, since ${holder.started}`
  return holder.run === undefined ? `a run that has just begun (${since})` : `run ${holder.run} (${since})`
}

/** True while a living run holds the lock. */
export function isLocked(path: string): boolean {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return false
  }
  try {
    // Shared, so that two who ask do not take each other for a run. Without locks, the process itself is looked for.
    return canLock() ? !tryLock(fd, LOCK_SHARED) : isHolderAlive(readHolder(path))
  } finally {
    // Closing gives back what was taken for the question.
    closeSync(fd)
  }
}

/** What the lock file says; null if that cannot be read. */
export function readHolder(path: string): Holder | null {
  try {
    const value: unknown = JSON.parse(readRegularFile(path, MAX_BYTES).toString())
    if (typeof value !== 'object' || value === null) return null
    const { pid, started, prompt, run, startTime, bootId, workspace } = value as Record<keyof Holder, unknown>
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof prompt !== 'string') return null
    return {
      pid,
      started,
      prompt,
      ...given({
        run: text(run),
        startTime: text(startTime),
        bootId: text(bootId),
        workspace: text(workspace),
      }),
    }
  } catch {
    return null
  }
}

const MAX_BYTES = 65_536

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isHolderAlive(holder: Holder | null): boolean {
  if (holder?.startTime === undefined || holder.bootId !== bootId()) return false
  return isAlive({ pid: holder.pid, startTime: holder.startTime })
}

/** Without the system's library there is no lock to take: the run goes on, as on a file system without locks. */
function tryLock(fd: number, how: number): boolean {
  const lock = systemLock()
  return lock === null || lock(fd, how | NOT_BLOCKING) === 0
}

function canLock(): boolean {
  return systemLock() !== null
}

type FileLock = (fd: number, operation: number) => number

function systemLock(): FileLock | null {
  found ??= { lock: findLock() }
  return found.lock
}

let found: { readonly lock: FileLock | null } | null = null

function findLock(): FileLock | null {
  const musl = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
  const names = process.platform === 'darwin' ? ['libSystem.B.dylib'] : ['libc.so.6', musl]
  for (const name of names) {
    try {
      const { symbols } = dlopen(name, { flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } })
      return symbols.flock
    } catch {}
  }
  return null
}

import { dlopen, FFIType } from 'bun:ffi'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { RalphError } from '../../core/errors.ts'

/** The lock that a run holds on its workspace. */
export interface Lock extends Disposable {
  readonly path: string
  /** Takes the file anew where somebody has deleted it: a lock that no path leads to keeps nobody out. */
  renew(): void
}

export interface Holder {
  readonly pid: number
  /** RFC 3339. */
  readonly started: string
  /** At most 100 characters. */
  readonly prompt: string
}

const LOCK_EXCLUSIVE = 2
const NOT_BLOCKING = 4

/**
 * Takes the lock file of a workspace, with the operating system's own lock: it goes with the process, whatever ends it.
 * Throws `locked`, which names the holder, if another run has it. With `wait` it tries again until it is free.
 */
export async function takeLock(path: string, holder: Holder, wait: boolean): Promise<Lock> {
  let fd = openLock(path)
  while (true) {
    if (tryLock(fd)) {
      if (isNamed(path, fd)) break
      closeSync(fd)
      fd = openLock(path)
    } else if (wait) {
      await Bun.sleep(RETRY_MS)
    } else {
      closeSync(fd)
      throw lockedBy(path)
    }
  }
  writeHolder(fd, holder)
  return {
    path,
    renew() {
      if (isNamed(path, fd)) return
      const fresh = openLock(path)
      if (!tryLock(fresh)) {
        closeSync(fresh)
        return
      }
      closeSync(fd)
      fd = fresh
      writeHolder(fd, holder)
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/** False for a file that was deleted or replaced meanwhile: who held it has taken the one that stands there now. */
function isNamed(path: string, fd: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino
}

function openLock(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
}

function writeHolder(fd: number, holder: Holder): void {
  ftruncateSync(fd, 0)
  writeSync(fd, `${JSON.stringify(holder)}\n`, 0)
}

const RETRY_MS = 200

function lockedBy(path: string): RalphError {
  const holder = readHolder(path)
  const who = holder === null ? 'another run' : `the run of process ${holder.pid} (since ${holder.started})`
  return new RalphError('locked', `${who} holds this workspace`, {
    hint: 'wait for it with --exclusive, or end it with Ctrl-C in its terminal',
  })
}

/** True while a living run holds the lock. */
export function isLocked(path: string): boolean {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch {
    return false
  }
  try {
    return !tryLock(fd)
  } finally {
    // Closing gives back what was taken for the question.
    closeSync(fd)
  }
}

/** What the lock file says; null if that cannot be read. */
export function readHolder(path: string): Holder | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value !== 'object' || value === null) return null
    const { pid, started, prompt } = value as Record<keyof Holder, unknown>
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof prompt !== 'string') return null
    return { pid, started, prompt }
  } catch {
    return null
  }
}

/** Without the system's library there is no lock to take: the run goes on, as on a file system without locks. */
function tryLock(fd: number): boolean {
  lock ??= findLock()
  return lock === null || lock(fd, LOCK_EXCLUSIVE | NOT_BLOCKING) === 0
}

let lock: ((fd: number, operation: number) => number) | null = null

function findLock(): ((fd: number, operation: number) => number) | null {
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

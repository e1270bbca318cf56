import { dlopen, FFIType, ptr } from 'bun:ffi'
import { closeSync } from 'node:fs'

/** The two ends of a pipe, as file descriptors. */
export interface Pipe {
  readonly read: number
  readonly write: number
}

/**
 * A real pipe: the runtime's own are socket pairs, on which a child's `echo x >/dev/stderr` fails.
 * No child inherits either end unless it is given to it. Null where the system's library cannot be called,
 * or has no descriptor left.
 */
export function openPipe(): Pipe | null {
  system ??= findSystem()
  if (!system.makePipe()) return null
  const [read, write] = ends
  return read === undefined || write === undefined ? null : { read, write }
}

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.read)
  closeSync(pipe.write)
}

/** From now on reading from this end never waits: where nothing is there it fails with EAGAIN. False where that cannot be had. */
export function neverWait(fd: number): boolean {
  system ??= findSystem()
  return system.neverWait(fd)
}

/**
 * Has a pipe hold at least `bytes` that nobody has read yet, up to `MAX_HELD`. Best effort: the system gives a user so many pages
 * for all pipes, and some systems none to choose.
 */
export function holdUnread(pipe: Pipe, bytes: number): void {
  if (bytes <= ORDINARY_BYTES) return
  system ??= findSystem()
  system.resize(pipe.write, Math.min(bytes, MAX_HELD))
}

/** What a pipe holds by itself. */
const ORDINARY_BYTES = 65_536
/** The most that Linux gives to an ordinary user. */
export const MAX_HELD = 1_048_576

/** What is asked of the system's library. */
interface System {
  makePipe(): boolean
  /** Bytes. */
  resize(fd: number, size: number): void
  neverWait(fd: number): boolean
}

const NO_SYSTEM: System = {
  makePipe: () => false,
  resize() {},
  neverWait: () => false,
}

/** Where the system puts the ends: made once, since finding out where an array lies costs more than the pipe. */
const ends = new Int32Array(new ArrayBuffer(8))

let system: System | null = null

function findSystem(): System {
  return (process.platform === 'darwin' ? darwin() : linux()) ?? NO_SYSTEM
}

/** `pipe2`, since a descriptor that is not closed on exec from the start leaks into a child started meanwhile. */
function linux(): System | null {
  const CLOSE_ON_EXEC = 0o2000000
  const SET_FLAGS = 4
  const NON_BLOCKING = 0o4000
  const SET_PIPE_SIZE = 1031
  for (const library of ['libc.so.6', `libc.musl-${MUSL_CPU}.so.1`]) {
    try {
      const { symbols } = dlopen(library, {
        pipe2: { args: [FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
        fcntl: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
      })
      const at = ptr(ends)
      return {
        makePipe: () => symbols.pipe2(at, CLOSE_ON_EXEC) === 0,
        resize: (fd, size) => void symbols.fcntl(fd, SET_PIPE_SIZE, size),
        neverWait: (fd) => symbols.fcntl(fd, SET_FLAGS, NON_BLOCKING) === 0,
      }
    } catch {}
  }
  return null
}

const MUSL_CPU = process.arch === 'arm64' ? 'aarch64' : 'x86_64'

/**
 * macOS has no `pipe2`; there the runtime starts children with all other descriptors closed. Nor can `fcntl` be called: on ARM
 * it takes its third argument from elsewhere.
 */
function darwin(): System | null {
  try {
    const { symbols } = dlopen('libSystem.B.dylib', {
      pipe: { args: [FFIType.ptr], returns: FFIType.i32 },
    })
    const at = ptr(ends)
    return { ...NO_SYSTEM, makePipe: () => symbols.pipe(at) === 0 }
  } catch {
    return null
  }
}

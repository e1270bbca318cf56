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
  makePipe ??= findMakePipe()
  const ends = new Int32Array(2)
  if (!makePipe(ends)) return null
  const [read, write] = ends
  return read === undefined || write === undefined ? null : { read, write }
}

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.read)
  closeSync(pipe.write)
}

let makePipe: ((ends: Int32Array) => boolean) | null = null

function findMakePipe(): (ends: Int32Array) => boolean {
  return (process.platform === 'darwin' ? darwinPipe() : linuxPipe()) ?? (() => false)
}

/** `pipe2`, since a descriptor that is not closed on exec from the start leaks into a child started meanwhile. */
function linuxPipe(): ((ends: Int32Array) => boolean) | null {
  const CLOSE_ON_EXEC = 0o2000000
  for (const library of ['libc.so.6', `libc.musl-${MUSL_CPU}.so.1`]) {
    try {
      const { symbols } = dlopen(library, {
        pipe2: { args: [FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
      })
      return (ends) => symbols.pipe2(ptr(ends), CLOSE_ON_EXEC) === 0
    } catch {}
  }
  return null
}

const MUSL_CPU = process.arch === 'arm64' ? 'aarch64' : 'x86_64'

/** macOS has no `pipe2`; there the runtime starts children with all other descriptors closed. */
function darwinPipe(): ((ends: Int32Array) => boolean) | null {
  try {
    const { symbols } = dlopen('libSystem.B.dylib', {
      pipe: { args: [FFIType.ptr], returns: FFIType.i32 },
    })
    return (ends) => symbols.pipe(ptr(ends)) === 0
  } catch {
    return null
  }
}

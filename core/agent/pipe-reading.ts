import { closeSync, readSync } from 'node:fs'
import { osCodeOf } from '../errors.ts'
import { type Reading, readAll } from './reading.ts'
import { soon } from './soon.ts'

/**
 * Reads a pipe to its end, piece by piece, and then closes it. `fd`: its read end, on which reading never waits. To be told of
 * what comes costs more than to take what is there once the program has ended: so one that ends right after its start is read
 * only then (`ended`), and all others from a moment after their start on.
 */
export function readPipe(fd: number, take: (chunk: Uint8Array) => void): Reading {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  let stream: Reading | null = null
  let open = true

  const close = (): void => {
    open = false
    leave()
    closeSync(fd)
  }
  /** True if that was the end. */
  const takeNow = (): boolean => {
    try {
      if (!takeAll(fd, take)) return false
      close()
      resolve()
    } catch (error) {
      close()
      reject(error)
    }
    return true
  }
  const listen = (): void => {
    try {
      stream = readAll(Bun.file(fd).stream(), take, () => {})
    } catch {
      // No descriptor is left for it: what is there is taken, and there may be one in a moment.
      if (!takeNow()) leave = soon(listen)
      return
    }
    stream.done.then(resolve, reject)
    open = false
    // The stream has made a descriptor of its own: no agent takes more of them than it did when it started.
    closeSync(fd)
  }
  let leave = soon(listen)

  return {
    done,
    ended() {
      if (!open || takeNow()) return
      leave()
      listen()
    },
    stop() {
      if (stream !== null) stream.stop()
      if (!open) return
      close()
      resolve()
    },
  }
}

/** Takes what is there. True at the end of the pipe; false where somebody may still write into it. */
function takeAll(fd: number, take: (chunk: Uint8Array) => void): boolean {
  for (let pieces = 0; pieces < MAX_PIECES; pieces++) {
    const length = readNow(fd)
    if (length === null) return false
    if (length === 0) return true
    take(new Uint8Array(piece.subarray(0, length)))
  }
  return false
}

/** Null: nothing is there at present. */
function readNow(fd: number): number | null {
  try {
    return readSync(fd, piece)
  } catch (error) {
    if (osCodeOf(error) === 'EAGAIN') return null
    throw error
  }
}

/** One for all: reading never waits. */
const piece = Buffer.allocUnsafe(64 * 1024)
/** What a program has left in its pipe is less; more comes from one that lives on, and would keep us from everything else. */
const MAX_PIECES = 16

import { writeSync } from 'node:fs'
import { osCodeOf } from '../core/errors.ts'

/**
 * The one door to stdout, since the runtime's own ways lose data at exit or never notice a closed pipe.
 * Writes all of `data` before it returns. False once nobody reads any more: stop producing; later calls write nothing.
 * Throws for other errors (a full disk).
 */
export function writeOut(data: string | Uint8Array): boolean {
  if (closed) return false
  try {
    writeAll(1, data)
  } catch (error) {
    if (osCodeOf(error) !== 'EPIPE') throw error
    closed = true
  }
  return !closed
}

let closed = false

/** Writes to stderr. What cannot be written is lost: there is no place left to say so. */
export function writeErr(text: string): void {
  try {
    writeAll(2, text)
  } catch {
    // Nobody reads it.
  }
}

function writeAll(fd: number, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written, bytes.length - written)
    } catch (error) {
      const code = osCodeOf(error)
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error
      // Another process left the shared pipe non-blocking, and its reader is slow.
      Bun.sleepSync(2)
    }
  }
}

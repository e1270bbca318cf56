import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, osCodeOf } from '../errors.ts'

/** Texts read back from a log are bounded: above this, the first and the last half are given. */
export const MAX_TEXT_BYTES = 32 * 1024 * 1024

/** One stream of an agent, kept whole on disk. The file (0600) is made when there is something to write. */
export interface Log {
  /** Writes through. Returns the reason if the log has just ended for good, e.g. because the disk is full. */
  write(chunk: Uint8Array): string | null
  /** What was written, decoded; the middle of more than `maxBytes` is replaced by a note. */
  text(maxBytes?: number): string
  close(): void
}

/** An existing file is replaced; a link at its place is refused. A missing folder is made. */
export function createLog(path: string): Log {
  let fd: number | null = null
  let broken = false
  return {
    write(chunk) {
      if (broken) return null
      try {
        fd ??= openLog(path)
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
        return null
      } catch (error) {
        broken = true
        return `${path}: ${messageOf(error)}`
      }
    },
    text: (maxBytes = MAX_TEXT_BYTES) => (fd === null ? '' : readText(fd, maxBytes)),
    close() {
      if (fd !== null) closeSync(fd)
      fd = null
    },
  }
}

function openLog(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if (osCodeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, flags, 0o600)
  }
}

function readText(fd: number, maxBytes: number): string {
  const { size } = fstatSync(fd)
  if (size <= maxBytes) return readPart(fd, 0, size)
  const half = Math.floor(maxBytes / 2)
  return `${readPart(fd, 0, half)}\n[cut: ${size - 2 * half} bytes]\n${readPart(fd, size - half, half)}`
}

function readPart(fd: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length)
  let at = 0
  while (at < length) {
    const read = readSync(fd, bytes, at, length - at, from + at)
    if (read === 0) break
    at += read
  }
  return bytes.toString('utf8', 0, at)
}

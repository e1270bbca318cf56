import { closeSync, fstatSync, readSync, writeSync } from 'node:fs'
import { messageOf } from '../errors.ts'
import { openPrivate } from '../open-private.ts'
import { NO_SECRETS, type Secrets } from '../secrets.ts'

/** Texts read back from a log are bounded: above this, the first and the last half are given. */
export const MAX_TEXT_BYTES = 32 * 1024 * 1024

/** A log ends here: a program that prints without end shall not fill the disk. */
export const MAX_LOG_BYTES = 1024 * 1024 * 1024

/** One stream of an agent, kept whole on disk up to that size. The file (0600) is made when there is something to write. */
export interface Log {
  /** Writes through. Returns the reason if the log has just ended for good: the disk is full, or the log long enough. */
  write(chunk: Uint8Array): string | null
  /** What was written, decoded; the middle of more than `maxBytes` is replaced by a note. */
  text(maxBytes?: number): string
  /** The stream has ended: writes what was held back. */
  end(): string | null
  close(): void
}

/** An existing file is replaced; a link at its place is refused. A missing folder is made. Secrets are left out. */
export function createLog(
  path: string,
  secrets: Secrets = NO_SECRETS,
  maxBytes: number = MAX_LOG_BYTES,
): Log {
  const redacted = secrets.stream()
  let fd: number | null = null
  let size = 0
  let broken = false

  function write(bytes: Uint8Array): string | null {
    if (broken || bytes.length === 0) return null
    try {
      fd ??= openPrivate(path, 'read-write')
      const kept = bytes.subarray(0, maxBytes - size)
      for (let at = 0; at < kept.length; ) at += writeSync(fd, kept, at)
      size += kept.length
      broken = kept.length < bytes.length
      return broken ? `${path} has ${maxBytes} bytes: what follows is not kept` : null
    } catch (error) {
      broken = true
      return `${path}: ${messageOf(error)}`
    }
  }

  return {
    write: (chunk) => write(redacted.push(chunk)),
    end: () => write(redacted.end()),
    text: (maxBytes = MAX_TEXT_BYTES) => (fd === null ? '' : readText(fd, maxBytes)),
    close() {
      if (fd !== null) closeSync(fd)
      fd = null
    },
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

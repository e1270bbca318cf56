import { closeSync, constants, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isShortage, osCodeOf } from '../errors.ts'
import type { LongText } from './long-text.ts'

/** All that a program says on stdout, as it says it: its answer, where it talks plain text. */
export interface Answer {
  add(line: string): void
  /** All lines, trimmed; the middle of more than `most` bytes is replaced by a note. A long one cannot be read after `close`. */
  message(): string | LongText
  close(): void
}

/** Bytes. */
export interface AnswerLimits {
  /** So much is held in memory, and written at once. */
  readonly block: number
  readonly most: number
}

/** Many short lines take ten times their length, so that the block is no larger. */
const LIMITS: AnswerLimits = { block: 16 * 1024, most: 32 * 1024 * 1024 }

/**
 * Holds a short answer in memory. A longer one goes into a file as it comes: its first half, and behind it a ring that holds
 * the last half. The file has no name any more once it is open, so that nobody finds it, and it is gone whatever happens.
 * The log is no place to take the answer from: there, secrets are left out. `path`: where the file is made.
 */
export function createAnswer(path: string, limits: AnswerLimits = LIMITS): Answer {
  const half = Math.floor(limits.most / 2)
  let fd: number | null = null
  let failure: unknown = null
  let lines: string[] = []
  let length = 0
  /** Bytes that went into the file, and those up to the last one that is no white space. */
  let written = 0
  let solid = 0
  /** The last block that was not blank. */
  let latest = ''
  let mayHoldEvents = false

  function flush(): void {
    const text = `${lines.join('\n')}\n`
    length = 0
    if (failure === null && !isOpen()) {
      lines = [text.slice(0, -1)]
      return
    }
    lines = []
    const block = written === 0 ? text.trimStart() : text
    const end = block.trimEnd()
    if (block === '' || failure !== null) return
    const bytes = Buffer.from(block)
    if (end !== '') {
      solid = written + bytes.length - Buffer.byteLength(block.slice(end.length))
      latest = end
      mayHoldEvents ||= end.includes('</event>')
    }
    try {
      write(bytes)
    } catch (error) {
      failure = error
    }
  }

  /** While the system has no descriptor left, everything stays in memory. */
  function isOpen(): boolean {
    try {
      fd ??= openNameless(path)
    } catch (error) {
      if (isShortage(error)) return false
      failure = error
    }
    return true
  }

  function write(bytes: Buffer): void {
    if (fd === null) return
    for (let at = 0; at < bytes.length; ) {
      const room = half - (written % half)
      const done = writeSync(fd, bytes, at, Math.min(bytes.length - at, room), placeOf(written))
      at += done
      written += done
    }
  }

  function placeOf(position: number): number {
    return position < half ? position : half + (position % half)
  }

  function* read(from: number, to: number): Generator<Uint8Array> {
    if (failure !== null) throw failure
    if (fd === null) return
    for (let at = from; at < to; ) {
      const wanted = Math.min(piece.length, to - at, half - (at % half))
      const found = readSync(fd, piece, 0, wanted, placeOf(at))
      if (found === 0) return
      yield piece.subarray(0, found)
      at += found
    }
  }

  /** The longest character has four bytes. */
  function readFew(from: number): Buffer {
    const found: Buffer[] = []
    for (const piece of read(from, from + 4)) found.push(Buffer.from(piece))
    return Buffer.concat(found)
  }

  function* pieces(): Generator<Uint8Array> {
    if (written <= 2 * half || solid <= half) {
      yield* read(0, solid)
      return
    }
    const kept = written - half
    const headEnd = half - brokenEnd(readFew(half - 4))
    const tailStart = Math.min(kept + brokenStart(readFew(kept)), solid)
    yield* read(0, headEnd)
    yield Buffer.from(`\n[cut: ${tailStart - headEnd} bytes]\n`)
    yield* read(tailStart, solid)
  }

  return {
    add(line) {
      lines.push(line)
      length += line.length + 1
      if (length > limits.block) flush()
    },
    message() {
      if (fd === null && failure === null) return lines.join('\n').trim()
      if (lines.length > 0) flush()
      const lastLine = latest.slice(latest.lastIndexOf('\n') + 1).trim()
      return { lastLine, mayHoldEvents, pieces }
    },
    close() {
      if (fd !== null) closeSync(fd)
      fd = null
    },
  }
}

/** One for all answers: who reads one reads it to its end before another. */
const piece = Buffer.allocUnsafe(64 * 1024)

/** A new file (0600) that is removed at once. Missing folders are made. */
function openNameless(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const open = (): number => openSync(path, flags, 0o600)
  let fd: number
  try {
    fd = open()
  } catch (error) {
    const code = osCodeOf(error)
    if (code === 'ENOENT') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // A program that was killed between two calls has left it.
    else if (code === 'EEXIST') unlinkSync(path)
    else throw error
    fd = open()
  }
  unlinkSync(path)
  return fd
}

/** Bytes at the end of a text that are but the beginning of a character. */
function brokenEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return size > back ? back : 0
  }
  return 0
}

/** Bytes at the beginning of a text that are but the end of a character. */
function brokenStart(bytes: Buffer): number {
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return first === -1 ? 0 : first
}

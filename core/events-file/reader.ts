import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { osCodeOf } from '../errors.ts'
import { type BadLine, type EventRecord, EXCERPT } from '../event.ts'
import { appendText } from './append.ts'
import { type CutLine, LineCutter } from './cut.ts'
import { type Line, parseRecord } from './record.ts'

/** Where reading goes on. */
export interface Position {
  /** Byte offset after the last consumed newline. */
  readonly offset: number
  /** 1-based number of the line that begins there. */
  readonly line: number
}

/** A position that a reader starts at. Without the line number, the lines before it are counted once. */
export interface ReadFrom {
  readonly offset: number
  readonly line?: number
  /** The file itself, where it is open for reading already: the reader takes it over. */
  readonly fd?: number
}

/** What one read gave, in the order of the file. */
export interface EventsRead extends Position {
  readonly events: readonly EventRecord[]
  readonly bad: readonly BadLine[]
  /**
   * True if the file was deleted, cut, or replaced by one that begins differently since the last read, so that reading started
   * over. Lines that were given before are left out, if they have a `ts`.
   */
  readonly restarted: boolean
}

export interface ReadOptions {
  /** The writers have ended: an unfinished last line is closed with a newline on disk, and parsed. */
  readonly closeLine?: boolean
}

/**
 * Reads an events file piece by piece; a missing file is empty. What lies before the position costs nothing.
 * It holds the file open between reads: so a replacement shows by its inode, and a file that was deleted with unread
 * lines is still read to its end.
 */
export class EventsReader implements Disposable {
  readonly path: string
  #fd: number | null = null
  /** The open file as it was at the latest look: no other file has its inode while it is open. */
  #state: Stats | null = null
  #offset: number
  #line: number
  /** How often each line was given, by its digest; after a restart, those of them that were not met again yet. */
  #given = new Map<bigint, number>()
  #before = new Map<bigint, number>()
  /** The last bytes before `#offset`, and when the file was last seen to change: an editor that writes in place shows by them. */
  #tail: Uint8Array = new Uint8Array()
  #changed = 0
  /** Holds what was read after `#offset`: an unfinished line is read once, however slowly it grows. */
  #cutter = new LineCutter(LINE_LIMIT)

  constructor(path: string, from: ReadFrom = { offset: 0 }) {
    this.path = path
    this.#offset = from.offset
    this.#line = from.line ?? countNewlines(path, from.offset) + 1
    this.#fd = from.fd ?? null
  }

  get position(): Position {
    return { offset: this.#offset, line: this.#line }
  }

  /** All complete lines since the last read. Throws the operating system's error if the file cannot be read. */
  read(options: ReadOptions = {}): EventsRead {
    const found: Found = { events: [], bad: [] }
    const before = this.#offset
    const restarted = this.#follow(found)
    if (this.#mayHaveMore()) this.#consume(found)
    if (options.closeLine === true && this.#cutter.pending > 0) this.#closeLine(found)
    this.#keepTail(before)
    return { ...found, ...this.position, restarted }
  }

  /** Lets go of the file. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
    this.#state = null
    this.#cutter = new LineCutter(LINE_LIMIT)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** Opens the file that the path names now, after reading the former one to its end. True if reading starts over. */
  #follow(found: Found): boolean {
    const named = lstatSync(this.path, { throwIfNoEntry: false })
    let restarted = false
    if (this.#fd !== null) {
      this.#state ??= fstatSync(this.#fd)
      if (this.#state.ino === named?.ino) this.#state = named
      else {
        this.#consume(found)
        this.#takeRest(found)
        const fresh = openIfThere(this.path)
        restarted = fresh === null || !beginAlike(this.#fd, fresh, this.#offset)
        this.close()
        this.#fd = fresh
      }
    }
    this.#fd ??= openIfThere(this.path)
    if (this.#fd !== null) this.#state ??= fstatSync(this.#fd)
    restarted ||= this.#wasRewritten()
    if (restarted) {
      for (const [digest, count] of this.#given) {
        this.#before.set(digest, (this.#before.get(digest) ?? 0) + count)
      }
      this.#given.clear()
      this.#offset = 0
      this.#line = 1
      this.#tail = new Uint8Array()
      this.#cutter = new LineCutter(LINE_LIMIT)
    }
    return restarted
  }

  /** The file is shorter than what was read of it, or the last line that was read stands there no more. */
  #wasRewritten(): boolean {
    if (this.#state === null) return this.#offset + this.#cutter.pending > 0
    const { size, mtimeMs } = this.#state
    const known = this.#offset + this.#cutter.pending
    if (size < known) return true
    if (size === known && mtimeMs === this.#changed) return false
    this.#changed = mtimeMs
    return !this.#readTail(this.#tail.length).equals(this.#tail)
  }

  /** Most looks find nothing new: the file that is not read costs one look. What is no regular file has no size. */
  #mayHaveMore(): boolean {
    const { size = 0 } = this.#state ?? {}
    return this.#state?.isFile() !== true || size > this.#offset + this.#cutter.pending
  }

  #keepTail(before: number): void {
    if (this.#offset !== before || this.#tail.length === 0)
      this.#tail = this.#readTail(Math.min(this.#offset, TAIL_BYTES))
  }

  /** As much of the file as stands right before `#offset`. */
  #readTail(bytes: number): Buffer {
    const tail = Buffer.alloc(bytes)
    if (this.#fd === null || bytes === 0) return Buffer.alloc(0)
    return tail.subarray(0, readSync(this.#fd, tail, 0, bytes, this.#offset - bytes))
  }

  #consume(found: Found): void {
    if (this.#fd === null) return
    while (true) {
      const length = readSync(this.#fd, chunk, 0, chunk.length, this.#offset + this.#cutter.pending)
      if (length === 0) return
      for (const line of this.#cutter.push(chunk.subarray(0, length))) this.#take(line, found)
    }
  }

  #closeLine(found: Found): void {
    try {
      appendText(this.path, '')
    } catch {
      // Readable but not writable: the line counts all the same.
    }
    this.#consume(found)
    this.#takeRest(found)
  }

  /** Takes an unfinished line as if it were complete. */
  #takeRest(found: Found): void {
    const rest = this.#cutter.rest()
    if (rest !== null) this.#take(rest, found)
  }

  #take(line: CutLine, found: Found): void {
    const parsed = parseLine(line)
    const isNews = parsed !== null && parsed.kind !== 'skip' && !this.#wasGiven(parsed, line)
    if (isNews && parsed.kind === 'event') found.events.push(parsed.event)
    if (isNews && parsed.kind === 'bad') {
      found.bad.push({ line: this.#line, reason: parsed.reason, excerpt: parsed.excerpt })
    }
    this.#line += 1
    this.#offset += line.length
  }

  /**
   * A line with a time of its own that stood in the file before somebody cut or edited it is the same event still. Without
   * one it may be another that looks alike, which must not be lost.
   */
  #wasGiven(parsed: Line, { bytes }: CutLine): boolean {
    if (parsed.kind === 'event' && parsed.event.ts === undefined) return false
    const digest = Bun.hash.wyhash(withoutNewline(bytes))
    this.#given.set(digest, (this.#given.get(digest) ?? 0) + 1)
    const left = this.#before.get(digest) ?? 0
    if (left > 0) this.#before.set(digest, left - 1)
    return left > 0
  }
}

interface Found {
  readonly events: EventRecord[]
  readonly bad: BadLine[]
}

/** Enough to tell one line from another: there stands its time. */
const TAIL_BYTES = 256

/** Longest line that is kept in memory, in bytes. */
const LINE_LIMIT = 128 * 1024 * 1024

/** One for all readers: reading never waits. */
const chunk = Buffer.allocUnsafe(256 * 1024)

const decoder = new TextDecoder()

/** Null for a blank line. Invalid UTF-8 is replaced within the line. */
function parseLine(line: CutLine): Line | null {
  if (line.bytes.length < line.length) {
    const excerpt = [...decoder.decode(line.bytes.subarray(0, 400))].slice(0, EXCERPT).join('')
    return { kind: 'bad', reason: `longer than ${LINE_LIMIT} bytes`, excerpt }
  }
  const text = decoder.decode(line.bytes).replace(/\r?\n$/, '')
  return text.trim() === '' ? null : parseRecord(text)
}

/** Null for a missing file. Follows no link, and a pipe in the file's place does not block. */
function openIfThere(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (osCodeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** True if two files begin with the same `bytes` bytes: an editor's new copy of a file is no new file. */
function beginAlike(a: number, b: number, bytes: number): boolean {
  if (fstatSync(b).size < bytes) return false
  const other = Buffer.allocUnsafe(chunk.length)
  for (let offset = 0; offset < bytes; ) {
    const wanted = Math.min(chunk.length, bytes - offset)
    const length = readSync(a, chunk, 0, wanted, offset)
    if (length === 0 || readSync(b, other, 0, length, offset) !== length) return false
    if (chunk.compare(other, 0, length, 0, length) !== 0) return false
    offset += length
  }
  return true
}

function withoutNewline(line: Uint8Array): Uint8Array {
  return line.at(-1) === 0x0a ? line.subarray(0, -1) : line
}

/** Newlines in the first `bytes` bytes. */
function countNewlines(path: string, bytes: number): number {
  const fd = bytes === 0 ? null : openIfThere(path)
  if (fd === null) return 0
  try {
    let count = 0
    for (let offset = 0; offset < bytes; ) {
      const length = readSync(fd, chunk, 0, Math.min(chunk.length, bytes - offset), offset)
      if (length === 0) break
      for (let at = chunk.indexOf(10); at >= 0 && at < length; at = chunk.indexOf(10, at + 1)) count += 1
      offset += length
    }
    return count
  } finally {
    closeSync(fd)
  }
}

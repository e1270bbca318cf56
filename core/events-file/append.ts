import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { osCodeOf } from '../errors.ts'

export interface AppendOptions {
  /** Forces the text to the disk before it returns. */
  readonly sync?: boolean
  /** Writes through a symbolic link. For paths that a person named; files of ours never follow one. */
  readonly followLinks?: boolean
}

/**
 * Appends whole lines to a JSONL file with one write, so that the lines of writers at the same time never mix.
 * Creates the file (0600) and its parent directories. A torn last line is ended first, so that it swallows nothing.
 * Throws the operating system's error.
 */
export function appendText(path: string, text: string, options: AppendOptions = {}): void {
  const fd = openForAppend(path, options.followLinks === true)
  try {
    // What a pipe or a device takes is gone; where a person has named one, that is wanted.
    if (options.followLinks !== true && !fstatSync(fd).isFile()) throw notRegular(path)
    writeAll(fd, Buffer.from(endsInTornLine(fd) ? `\n${text}` : text))
    if (options.sync === true) fdatasyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function openForAppend(path: string, followLinks: boolean): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const flags = O_RDWR | O_APPEND | O_CREAT | (followLinks ? 0 : O_NOFOLLOW)
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if (osCodeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true })
    return openSync(path, flags, 0o600)
  }
}

function notRegular(path: string): Error {
  const message = `EINVAL: not a regular file, write '${path}'`
  return Object.assign(new Error(message), { code: 'EINVAL', syscall: 'write' })
}

/** Another writer's line that is growing looks torn too; the newline then becomes a blank line, which readers skip. */
function endsInTornLine(fd: number): boolean {
  const stat = fstatSync(fd)
  if (!stat.isFile() || stat.size === 0) return false
  const last = Buffer.alloc(1)
  return readSync(fd, last, 0, 1, stat.size - 1) === 1 && last[0] !== 0x0a
}

/** One write, and more only where the system wrote less than it was given. */
function writeAll(fd: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written)
}

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** What a look at a growing file gave. */
export interface Grown {
  /** Complete lines that are new. */
  readonly lines: readonly string[]
  /** The path names another file than before, or the file was emptied: it was read from its beginning. */
  readonly restarted: boolean
}

/** Reads the complete lines of a file, each once, as it grows. A missing file is empty. */
export function followLines(): (path: string) => Grown {
  let seen = { path: '', inode: 0, offset: 0 }
  return (path) => {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino
    if (inode === undefined) return { lines: [], restarted: false }
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const { size, ino } = fstatSync(fd)
      const same = seen.path === path && seen.inode === ino && seen.offset <= size
      const restarted = !same && seen.path !== ''
      const from = same ? seen.offset : 0
      const text = readUpTo(fd, from, size)
      const end = text.lastIndexOf(NEWLINE) + 1
      seen = { path, inode: ino, offset: from + end }
      const lines =
        end === 0
          ? []
          : text
              .subarray(0, end - 1)
              .toString('utf8')
              .split('\n')
      return { lines, restarted }
    } finally {
      closeSync(fd)
    }
  }
}

const NEWLINE = 10

function readUpTo(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from))
  let length = 0
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, from + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

import { closeSync, constants, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { osCodeOf } from '../errors.ts'

/**
 * Makes an empty file (0600) in place of whatever is there, and its parent directories. What is there is removed, so that
 * a link is not followed, and no earlier line is left. Gives the file, open for reading and writing: the caller closes it.
 * Throws the operating system's error.
 */
export function createAnew(path: string): number {
  const { O_RDWR, O_CREAT, O_EXCL } = constants
  const open = (): number => openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
  try {
    return open()
  } catch (error) {
    const code = osCodeOf(error)
    if (code === 'EEXIST') rmSync(path, { force: true, recursive: true })
    else if (code === 'ENOENT') mkdirSync(dirname(path), { recursive: true })
    else throw error
    return open()
  }
}

/** The same with a text in it, closed. */
export function writeAnew(path: string, text: string): void {
  const fd = createAnew(path)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } finally {
    closeSync(fd)
  }
}

import { closeSync, constants, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { osCodeOf } from '../../core/errors.ts'
import { openPrivate } from '../../core/open-private.ts'

/** Writes a whole file (0600) of a run's folder, never through a link, and makes the folders (0700) above it. Throws the system's error. */
export function writePrivate(path: string, text: string): void {
  const fd = openPrivate(path, 'write')
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } finally {
    closeSync(fd)
  }
}

/** The same with what another file holds, which is never in memory as a whole. */
export function copyPrivate(from: string, path: string): void {
  const source = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const fd = openPrivate(path, 'write')
    try {
      for (let length = readSync(source, piece); length > 0; length = readSync(source, piece)) {
        for (let at = 0; at < length; ) at += writeSync(fd, piece, at, length - at)
      }
    } finally {
      closeSync(fd)
    }
  } finally {
    closeSync(source)
  }
}

/** One for all copies: copying never waits. */
const piece = Buffer.allocUnsafe(64 * 1024)

/** Makes a folder (0700), and those above it where they are missing. Throws the system's error. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const code = osCodeOf(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
}

import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { osCodeOf } from '../../core/errors.ts'

/** Writes a whole file (0600) of a run's folder, never through a link, and makes the folders (0700) above it. Throws the system's error. */
export function writePrivate(path: string, text: string): void {
  const fd = openPrivate(path)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } finally {
    closeSync(fd)
  }
}

/** The folder is there but for the first file: asking for it each time costs more than the file. */
function openPrivate(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if (osCodeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, flags, 0o600)
  }
}

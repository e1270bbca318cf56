import { constants, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { osCodeOf } from './errors.ts'

/**
 * Opens a file (0600) afresh, never through a link, and makes the folders (0700) above it; the caller closes it. The folder is
 * there but for its first file: asking for it each time would cost more than the file. Throws the system's error.
 */
export function openPrivate(path: string, access: 'write' | 'read-write'): number {
  const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  const flags = (access === 'write' ? O_WRONLY : O_RDWR) | O_CREAT | O_TRUNC | O_NOFOLLOW
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if (osCodeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, flags, 0o600)
  }
}

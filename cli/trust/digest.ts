import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import type { FileDigest } from '../../core/trust/fingerprint.ts'

/** A file by its content; null for what is not there, is no file, or cannot be read. */
export function digestFile(path: string): FileDigest | null {
  // Looked at first: to open a pipe would wait for its writer.
  if (!isFile(path)) return null
  try {
    return { path, sha256: digestContent(path) }
  } catch {
    return null
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}

function digestContent(path: string): string {
  const hasher = new Bun.CryptoHasher('sha256')
  const part = Buffer.alloc(1 << 20)
  const fd = openSync(path, 'r')
  try {
    for (let n = readSync(fd, part); n > 0; n = readSync(fd, part)) hasher.update(part.subarray(0, n))
  } finally {
    closeSync(fd)
  }
  return hasher.digest('hex')
}

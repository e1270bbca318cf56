import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { broken, type Check, doubtful, fine } from './check.ts'

export interface DiskFacts {
  readonly path: string
  /** Bytes that this user may still write. */
  readonly free: number
  /** Files that may still be made; null: the file system has no such limit. */
  readonly freeFiles: number | null
}

/** Of the file system that holds a path, or would hold it. Null: cannot be told. */
export function readDisk(path: string): DiskFacts | null {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(path)
    return { path, free: bavail * bsize, freeFiles: files === 0 ? null : ffree }
  } catch {
    const above = dirname(path)
    return above === path ? null : readDisk(above)
  }
}

/** @param what is kept there */
export function rateDisk(check: string, facts: DiskFacts | null, what: string): Check {
  if (facts === null) return fine(check, 'this system does not tell what is free')
  const { path, free, freeFiles } = facts
  const detail = `${formatBytes(free)} free for ${what} (${path})`
  const todo = 'make room; `ralph clean` removes what earlier runs of a workspace left'
  if (free < SCARCE || (freeFiles !== null && freeFiles < FEW_FILES / 10)) {
    return broken(check, freeFiles === null ? detail : `${detail}; ${freeFiles} files`, todo)
  }
  if (freeFiles !== null && freeFiles < FEW_FILES) {
    return doubtful(check, `${detail}; room for ${freeFiles} files only`, todo)
  }
  return free < LITTLE ? doubtful(check, detail, todo) : fine(check, detail)
}

/** Below, a run of hours with many agents may end for want of room; what it logs grows with what its agents print. */
const LITTLE = 1e9
/** Below, it hardly begins. */
const SCARCE = 50e6
const FEW_FILES = 10_000

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.floor(bytes / 1e6)} MB`
}

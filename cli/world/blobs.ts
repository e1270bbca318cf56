import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Blob, INLINE_BYTES, type ReadBlob } from '../../core/blob.ts'

/** Texts of a run that are too long for its journal. */
export interface BlobStore {
  /** Inline if it is short, else in a file that is named by its content. */
  store(text: string): Blob
  readonly read: ReadBlob
}

export function createBlobStore(runDir: string): BlobStore {
  const dir = join(runDir, 'blobs')
  return {
    store(text) {
      const bytes = Buffer.byteLength(text)
      if (bytes <= INLINE_BYTES) return { inline: text }
      const sha256 = createHash('sha256').update(text).digest('hex')
      const path = join(dir, sha256)
      if (!existsSync(path)) {
        mkdirSync(dir, { recursive: true, mode: 0o700 })
        writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
        renameSync(`${path}.new`, path)
      }
      return { path, bytes, sha256 }
    },
    read: (blob) => ('inline' in blob ? blob.inline : readFileSync(blob.path, 'utf8')),
  }
}

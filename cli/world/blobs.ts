import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { LongText } from '../../core/agent/long-text.ts'
import { type Blob, INLINE_BYTES, inline, type ReadBlob } from '../../core/blob.ts'

/** Texts of a run that are too long for its journal. */
export interface BlobStore {
  /** Inline if it is short, else in a file that is named by its content. */
  store(text: string): Blob
  /** The same of a text that lies elsewhere; it is never in memory as a whole. */
  storeLong(text: LongText): Blob
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
    storeLong(text) {
      const fresh = join(dir, 'long.new')
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const { bytes, sha256 } = writePieces(fresh, text.pieces())
      if (bytes <= INLINE_BYTES) {
        const short = readFileSync(fresh, 'utf8')
        unlinkSync(fresh)
        return { inline: short }
      }
      const path = join(dir, sha256)
      renameSync(fresh, path)
      return { path, bytes, sha256 }
    },
    read: (blob) => ('inline' in blob ? blob.inline : readFileSync(blob.path, 'utf8')),
  }
}

/** Puts them on the disk, one after another. */
function writePieces(path: string, pieces: Iterable<Uint8Array>): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  let bytes = 0
  const fd = openSync(path, 'w', 0o600)
  try {
    for (const piece of pieces) {
      hash.update(piece)
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at)
      bytes += piece.length
    }
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** The same for one who looks at a run without working on it: what is stored stays in memory. */
export function readingOnly(runDir: string): BlobStore {
  return { ...createBlobStore(runDir), store: inline }
}

import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { messageOf, osCodeOf, RalphError } from '../errors.ts'
import type { Fact } from '../run/fact.ts'
import { JOURNAL_VERSION, type Manifest } from './journal.ts'

export interface JournalContent {
  readonly manifest: Manifest
  /** In the order of their recording. */
  readonly facts: readonly Fact[]
  /** The last record was cut in the middle by a crash; it was never believed. */
  readonly isTorn: boolean
  /** 1-based numbers of other records that cannot be read. */
  readonly badLines: readonly number[]
}

/**
 * Reads a run's journal. Throws `journal_missing`, `journal_broken` (no manifest), or `journal_newer`
 * where a newer program wrote it; a bad line never hides the next good one.
 */
export function readJournal(path: string): JournalContent {
  const text = readText(path)
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const manifest = parseManifest(lines[0] ?? last, path)
  const facts: Fact[] = []
  const badLines: number[] = []
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (line === '') continue
    const fact = parseObject(line)
    if (fact === null || typeof fact.type !== 'string' || typeof fact.mono !== 'number') badLines.push(i + 1)
    else facts.push(fact as unknown as Fact)
  }
  return { manifest, facts, isTorn: last !== '', badLines }
}

/** Only the first record, whatever the size of the rest. Throws as `readJournal` does. */
export function readManifest(path: string): Manifest {
  return parseManifest(readFirstLine(path), path)
}

function readFirstLine(path: string): string {
  const pieces: Buffer[] = []
  try {
    const fd = openSync(path, 'r')
    try {
      while (true) {
        const piece = Buffer.alloc(PIECE_BYTES)
        const read = readSync(fd, piece)
        const end = piece.subarray(0, read).indexOf(10)
        pieces.push(piece.subarray(0, end < 0 ? read : end))
        if (end >= 0 || read === 0) return Buffer.concat(pieces).toString('utf8')
      }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw unreadable(path, error)
  }
}

const PIECE_BYTES = 16_384

/** Throws `journal_broken` or `journal_newer`. */
function parseManifest(line: string, path: string): Manifest {
  const record = parseObject(line)
  if (record === null || record.type !== 'manifest' || typeof record.v !== 'number') {
    throw new RalphError('journal_broken', `${path}:1: this is not the journal of a run`)
  }
  if (record.v > JOURNAL_VERSION) {
    throw new RalphError(
      'journal_newer',
      `${path}: written by ralph ${String(record.ralph)} in format ${record.v}; this program reads formats up to ${JOURNAL_VERSION}`,
      { hint: 'use that version of ralph, or a newer one' },
    )
  }
  return record as unknown as Manifest
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): RalphError {
  const what = osCodeOf(error) === 'ENOENT' ? 'there is no journal' : `cannot be read: ${messageOf(error)}`
  return new RalphError('journal_missing', `${path}: ${what}`, { cause: error })
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

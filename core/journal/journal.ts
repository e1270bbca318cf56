import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { type Fact, isDurable } from '../run/fact.ts'

/** Version of the journal's format: a program refuses newer ones than its own. */
export const JOURNAL_VERSION = 1

/** Append-only facts of one run: the only state on disk. */
export interface Journal {
  /**
   * Writes the durable ones of `facts` in one write and syncs them; nothing is believed before this returns.
   * Throws the system's error where it cannot.
   */
  append(facts: readonly Fact[]): void
  close(): void
}

/** What the first record of a journal tells of a run (contract/loop §12.2). Not a fact: folding starts behind it. */
export interface Manifest {
  readonly runId: string
  readonly mode: 'loop' | 'wave'
  readonly workspace: string
  /** Empty in `ralph wave run`. */
  readonly eventsFile: string
  readonly startedAt: number
  readonly ralph: string
  readonly platform: string
  readonly configFiles: readonly { readonly path: string; readonly sha256: string }[]
  readonly config: unknown
  readonly backends: readonly string[]
  readonly git: { readonly head: string | null; readonly dirty: boolean } | null
}

/** Opens the journal of a new run and writes its manifest. The file must not exist. */
export function createJournal(path: string, manifest: Manifest): Journal {
  const fd = openSync(
    path,
    constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND,
    0o600,
  )
  const write = (records: readonly object[]): void => {
    if (records.length === 0) return
    writeAll(fd, Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')))
    fdatasyncSync(fd)
  }
  write([{ v: JOURNAL_VERSION, type: 'manifest', ...manifest }])
  return {
    append: (facts) => write(facts.filter(isDurable)),
    close: () => closeSync(fd),
  }
}

/** A disk that fills up makes short writes: the rest is tried again, so that the error is the system's own. */
function writeAll(fd: number, bytes: Buffer): void {
  let done = 0
  while (done < bytes.length) done += writeSync(fd, bytes, done)
}

import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs'
import type { Settings } from '../config/settings.ts'
import { messageOf, RalphError } from '../errors.ts'
import { type Fact, isDurable } from '../run/fact.ts'
import type { Rules } from '../run/state.ts'

/** Version of the journal's format: a program refuses newer ones than its own. */
export const JOURNAL_VERSION = 1

/** Append-only facts of one run: the only state on disk. */
export interface Journal {
  /**
   * Writes the durable ones of `facts` in one write and syncs them; nothing is believed before this returns.
   * Throws `journal_write` where it cannot.
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
  readonly config: Settings
  /** What the fold knew of the backends, by hat. */
  readonly backends: Rules['backends']
  /** What the programs said of themselves, by backend; null where that was not known in time, or nobody asked. */
  readonly versions: Readonly<Record<string, string | null>>
  readonly git: { readonly head: string | null; readonly dirty: boolean } | null
}

/** Opens the journal of a new run and writes its manifest. The file must not exist. Throws the system's error, or `journal_write`. */
export function createJournal(path: string, manifest: Manifest): Journal {
  const { O_CREAT, O_EXCL, O_WRONLY, O_APPEND } = constants
  const fd = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_APPEND, 0o600)
  const journal = journalOn(path, fd)
  writeRecords(path, fd, [{ v: JOURNAL_VERSION, type: 'manifest', ...manifest }])
  return journal
}

/** Opens the journal of an earlier run to go on with it; a torn last record is sealed first. */
export function reopenJournal(path: string, isTorn: boolean): Journal {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND)
  if (isTorn) writeAll(fd, Buffer.from('\n'))
  return journalOn(path, fd)
}

function journalOn(path: string, fd: number): Journal {
  return {
    append: (facts) => writeRecords(path, fd, facts.filter(isDurable)),
    close: () => closeSync(fd),
  }
}

/** One write, and one sync: facts that arrive together are durable together. */
function writeRecords(path: string, fd: number, records: readonly object[]): void {
  if (records.length === 0) return
  try {
    writeAll(fd, Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')))
    fdatasyncSync(fd)
  } catch (error) {
    throw new RalphError(
      'journal_write',
      `the journal of the run cannot be written, ${path}: ${messageOf(error)}`,
      { hint: 'RALPH_STATE_DIR names another folder for new runs', cause: error },
    )
  }
}

/** A disk that fills up makes short writes: the rest is tried again, so that the error is the system's own. */
function writeAll(fd: number, bytes: Buffer): void {
  let done = 0
  while (done < bytes.length) done += writeSync(fd, bytes, done)
}

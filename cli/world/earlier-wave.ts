import { join } from 'node:path'
import { readJournal } from '../../core/journal/read.ts'
import { absorb } from '../../core/run/absorb.ts'
import { takeFound } from '../../core/run/absorb-recovered.ts'
import { foldJournal } from '../../core/run/fold.ts'
import type { State } from '../../core/run/state.ts'
import { collectSecrets } from '../../core/secrets.ts'
import { type Adoptable, adoptable } from '../../core/wave/adopt.ts'
import { type BlobStore, createBlobStore } from './blobs.ts'
import { filedOutcomes, foundResults } from './filed-outcomes.ts'
import type { KnownRun } from './known-runs.ts'
import type { Lock } from './lock.ts'
import { describeHolder, holdRun } from './run-hold.ts'
import { endSurvivors } from './survivors.ts'
import { unreadLines } from './unread-lines.ts'

/** An earlier run of `ralph wave run` that is over: what it has is taken up, and nothing of it runs any more. */
export interface EarlierWave {
  readonly runId: string
  readonly state: State
  readonly blobs: BlobStore
  /** Keeps everybody else from the run meanwhile. */
  readonly hold: Lock
}

/** Takes a run that is over for oneself: its survivors are ended, and what its cut workers had written is read. */
export async function takeUp(
  run: Pick<KnownRun, 'id' | 'dir'>,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<EarlierWave> {
  const { id, dir } = run
  const hold = await holdRun(
    dir,
    describeHolder({ started: new Date(), workspace: cwd, prompt: '', run: id }),
  )
  try {
    const state = foldRun(run)
    if (state.ended === null) await endSurvivors(state)
    const blobs = createBlobStore(dir)
    for (const fact of [
      ...unreadLines(state, dir, { blobs, secrets: collectSecrets(env) }),
      ...filedOutcomes(state, blobs),
    ]) {
      absorb(state, { ...fact, at: Date.now(), mono: state.lastMono })
    }
    takeFound(state, foundResults(state, blobs))
    return { runId: id, state, blobs, hold }
  } catch (error) {
    hold[Symbol.dispose]()
    throw error
  }
}

/** What a run has that need not be paid again, with what is on disk of a wave that its journal has lost. */
export function adoptableOf({ runId, state }: Pick<EarlierWave, 'runId' | 'state'>): Adoptable {
  return new Map([...state.adoptable, ...adoptable(runId, [...state.waves.values()])])
}

/** What its journal comes to. Throws what the journal's reader throws. */
export function foldRun({ dir }: Pick<KnownRun, 'dir'>): State {
  return foldJournal(readJournal(join(dir, 'journal.jsonl')), { dir })
}

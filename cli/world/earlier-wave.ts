import { join } from 'node:path'
import { messageOf, RalphError } from '../../core/errors.ts'
import { readJournal } from '../../core/journal/read.ts'
import { absorb } from '../../core/run/absorb.ts'
import { foldJournal } from '../../core/run/fold.ts'
import type { State } from '../../core/run/state.ts'
import { collectSecrets } from '../../core/secrets.ts'
import { type Adoptable, adoptable, keyedItem } from '../../core/wave/adopt.ts'
import { itemKeys, type KeyedItem } from '../../core/wave/item-key.ts'
import { type BlobStore, createBlobStore } from './blobs.ts'
import { filedOutcomes } from './filed-outcomes.ts'
import { findAllRuns, isOfWorkspace, type KnownRun } from './known-runs.ts'
import type { Lock } from './lock.ts'
import { pickRun } from './pick-run.ts'
import { describeHolder, holdRun, isHeld } from './run-hold.ts'
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

export interface EarlierRequest {
  /** As a person named it; null: the last one of this workspace that has a result for one of the items. */
  readonly named: string | null
  readonly items: readonly KeyedItem[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told of runs that cannot be read and are passed over. */
  readonly warn: (text: string) => void
}

/**
 * The run whose results the items take over; null if there is none. Throws `run_held` while it is in progress, and for a
 * named one `no_run`, `run_ambiguous`, `run_is_loop`, or what the journal's reader throws.
 */
export async function findEarlierWave(request: EarlierRequest): Promise<EarlierWave | null> {
  const { named } = request
  if (named === null) return findMatching(request)
  const run = pickRun(request, named)
  if (run.manifest?.mode === 'loop') {
    throw new RalphError('run_is_loop', `${run.id} is a loop, no wave from the shell`, {
      hint: `\`ralph run --continue --loop-id ${run.id}\` goes on with it`,
    })
  }
  return takeUp(run, request)
}

/** Takes a run that is over for oneself: its survivors are ended, and what its cut workers had written is read. */
export async function takeUp(
  run: Pick<KnownRun, 'id' | 'dir'>,
  { cwd, env }: Pick<EarlierRequest, 'cwd' | 'env'>,
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
    return { runId: id, state, blobs, hold }
  } catch (error) {
    hold[Symbol.dispose]()
    throw error
  }
}

/** What a run has that need not be paid again. */
export function adoptableOf({ runId, state }: Pick<EarlierWave, 'runId' | 'state'>): Adoptable {
  return adoptable(runId, [...state.waves.values()])
}

/** The newest one that has a result for one of the items. One that is at work on some of them throws `run_held`. */
async function findMatching(request: EarlierRequest): Promise<EarlierWave | null> {
  const keys = new Set(itemKeys(request.items))
  const runs = findAllRuns(request)
    .filter((run) => run.id.startsWith(WAVE) && isOfWorkspace(run, request.cwd))
    .sort((a, b) => startOf(b) - startOf(a))
  for (const run of runs) {
    const earlier = await look(run, keys, request)
    if (earlier === null) continue
    if ([...adoptableOf(earlier).keys()].some((key) => keys.has(key))) return earlier
    earlier.hold[Symbol.dispose]()
  }
  return null
}

const WAVE = 'wave-'

function startOf({ manifest }: KnownRun): number {
  return manifest?.startedAt ?? 0
}

/** Null for a run that cannot be read, and for one that is in progress with other items. */
async function look(
  run: KnownRun,
  keys: ReadonlySet<string>,
  { cwd, env, warn }: EarlierRequest,
): Promise<EarlierWave | null> {
  try {
    if (isHeld(run.dir) && !worksOn(foldRun(run), keys)) return null
    return await takeUp(run, { cwd, env })
  } catch (error) {
    if (error instanceof RalphError && error.code === 'run_held') throw error
    warn(`the run ${run.id} is passed over: ${messageOf(error)}`)
    return null
  }
}

function worksOn(state: State, keys: ReadonlySet<string>): boolean {
  const begun = [...state.waves.values()].flatMap((wave) =>
    wave.works.flatMap((work) => keyedItem(wave, work) ?? []),
  )
  return itemKeys(begun).some((key) => keys.has(key))
}

function foldRun({ dir }: Pick<KnownRun, 'dir'>): State {
  return foldJournal(readJournal(join(dir, 'journal.jsonl')), { dir })
}

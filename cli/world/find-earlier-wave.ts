import { existsSync } from 'node:fs'
import { messageOf, RalphError } from '../../core/errors.ts'
import type { State } from '../../core/run/state.ts'
import { keyedItem } from '../../core/wave/adopt.ts'
import { itemKeys, type KeyedItem } from '../../core/wave/item-key.ts'
import { adoptableOf, type EarlierWave, foldRun, takeUp } from './earlier-wave.ts'
import { checkWorkspace, findAllRuns, isOfWorkspace, type KnownRun } from './known-runs.ts'
import { pickRun } from './pick-run.ts'
import { isHeld } from './run-hold.ts'

export interface EarlierRequest {
  /** As a person named it; null: the last one of this workspace that has a result for one of the items, or who paid for that. */
  readonly named: string | null
  readonly items: readonly KeyedItem[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told of runs that cannot be read and are passed over. */
  readonly warn: (text: string) => void
}

/**
 * The run whose results the items take over; null if there is none. Throws `run_held` while it is in progress, and for a
 * named one `no_run`, `run_ambiguous`, `run_is_loop`, `run_elsewhere`, or what the journal's reader throws.
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
  // A folder that was moved has taken its items along.
  if (run.workspace !== null && existsSync(run.workspace)) checkWorkspace(run, request.cwd)
  return takeUp(run, request)
}

/** The newest one that has a result for one of the items, or who paid for that. One that is at work on some of them throws `run_held`. */
async function findMatching(request: EarlierRequest): Promise<EarlierWave | null> {
  const keys = new Set(itemKeys(request.items))
  const runs = findAllRuns(request)
    .filter((run) => run.id.startsWith(WAVE) && isOfWorkspace(run, request.cwd))
    .sort((a, b) => startOf(b) - startOf(a))
  for (const run of runs) {
    const earlier = await look(run, keys, request)
    if (earlier === null) continue
    if (countOf(earlier, keys) > 0) return richest(earlier, { keys, runs, request })
    earlier.hold[Symbol.dispose]()
  }
  return null
}

/** The run, or the one that has paid for some of its results, if that has more of what is asked for. */
async function richest(
  earlier: EarlierWave,
  of: {
    readonly keys: ReadonlySet<string>
    readonly runs: readonly KnownRun[]
    readonly request: EarlierRequest
  },
): Promise<EarlierWave> {
  const { keys, runs, request } = of
  const payers = new Set([...adoptableOf(earlier).values()].map(({ from }) => from.run))
  let best = earlier
  for (const run of runs) {
    if (run.id === earlier.runId || !payers.has(run.id) || countOf(best, keys) === keys.size) continue
    const payer = await look(run, keys, request)
    if (payer === null) continue
    const isRicher = countOf(payer, keys) > countOf(best, keys)
    const [kept, other] = isRicher ? [payer, best] : [best, payer]
    other.hold[Symbol.dispose]()
    best = kept
  }
  return best
}

/** How many of these items it has a result for. */
function countOf(earlier: EarlierWave, keys: ReadonlySet<string>): number {
  return [...adoptableOf(earlier).keys()].filter((key) => keys.has(key)).length
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

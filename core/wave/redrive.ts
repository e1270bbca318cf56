import { RalphError } from '../errors.ts'
import { err, ok, type Result } from '../result.ts'
import { adoptionOf, keyedItem, resultOf } from './adopt.ts'
import { itemKeys, type KeyedItem } from './item-key.ts'
import type { WaveItem } from './plan.ts'
import type { Outcome, Wave, Work } from './wave.ts'

/** Which items of a wave run again. */
export interface Selection {
  /** Those without a result. */
  readonly failed: boolean
  /** Those of these indices, as `ralph wave results` shows them; with `failed` those among them without a result. Null: no choice. */
  readonly only: readonly number[] | null
}

export interface RedriveRequest {
  /** Id of the run that the wave belongs to. */
  readonly run: string
  /** Nothing of it runs any more. */
  readonly wave: Wave
  readonly selection: Selection
  /** What the item would ask now, and of whom; null if nobody plays its hat any more. */
  readonly now: (work: Work) => KeyedItem | null
}

export interface Redriven {
  readonly items: readonly WaveItem[]
  /** How many of them run. */
  readonly runs: number
  /** Indices of those that run although they have a result: they would ask something else now. */
  readonly changed: readonly number[]
}

/**
 * The items of the wave that runs a part of `wave` again: the selected ones run, all others keep their outcome. Without a
 * selection those run that have no result, and those that would ask something else now. Errors: an index that the wave
 * does not have, an item that can never run, a hat that nobody plays.
 */
export function redriveItems(request: RedriveRequest): Result<Redriven, RalphError> {
  const { wave, run } = request
  const chosen = choose(request)
  if (!chosen.ok) return chosen
  const runs = wave.works.filter((work) => chosen.value.has(work.index))
  const orphans = runs.filter((work) => request.now(work) === null)
  if (orphans.length > 0) return err(noHat(wave, orphans))
  const items = wave.works.map((work): WaveItem => {
    const { index, hat } = work
    const item: WaveItem = { index, hat, event: { topic: work.topic, payload: work.payload } }
    if (chosen.value.has(index)) return item
    const outcome = outcomeOf(work)
    if (wave.carried.has(index)) return { ...item, carried: outcome }
    return { ...item, adopted: adoptionOf(run, wave, { work, outcome }) }
  })
  const changed = runs.filter((work) => !hasFailed(work) && hasChanged(wave, work, request.now(work)))
  return ok({ items, runs: runs.length, changed: changed.map(({ index }) => index) })
}

/** What an item comes to that does not run: one that was cut stays undone. */
function outcomeOf(work: Work): Outcome {
  return resultOf(work) ?? (work.status === 'settled' ? work.outcome : null) ?? NOT_RUN
}

const NOT_RUN: Outcome = {
  status: 'cancelled',
  class: 'failure',
  cause: { kind: 'never-started', why: 'halted' },
  reason: 'not run',
  events: [],
  fromFinalMessage: false,
  durationMs: 0,
  remarks: [],
}

function choose({ wave, selection, now }: RedriveRequest): Result<ReadonlySet<number>, RalphError> {
  const { failed, only } = selection
  for (const index of only ?? []) {
    const work = wave.byIndex.get(index)
    if (work === undefined) return err(noItem(wave, index))
    if (!canRun(wave, work)) return err(neverRuns(wave, work))
  }
  const asked = only === null ? wave.works : wave.works.filter(({ index }) => only.includes(index))
  const runs = asked.filter((work) => {
    if (!canRun(wave, work)) return false
    if (only !== null && !failed) return true
    return hasFailed(work) || (!failed && hasChanged(wave, work, now(work)))
  })
  return ok(new Set(runs.map(({ index }) => index)))
}

/** Not an item that was never dispatched, may not be dispatched, or failed before this stage of a chain. */
function canRun(wave: Wave, { index, outcome }: Work): boolean {
  const cause = outcome?.cause
  const isBarred = cause?.kind === 'never-started' && cause.why === 'scope_violation'
  return !isBarred && cause?.kind !== 'missing' && !wave.carried.has(index)
}

function hasFailed(work: Work): boolean {
  return resultOf(work) === null
}

function hasChanged(wave: Wave, work: Work, now: KeyedItem | null): boolean {
  const then = keyedItem(wave, work)
  if (then === null || now === null) return false
  return itemKeys([then])[0] !== itemKeys([now])[0]
}

function noItem(wave: Wave, index: number): RalphError {
  const indices = wave.works.map((work) => work.index)
  return new RalphError('item_unknown', `wave ${wave.id} has no item ${index}`, {
    hint: `its items are ${indices[0]} to ${indices.at(-1)}, as \`ralph wave results ${wave.id}\` shows them`,
  })
}

function neverRuns(wave: Wave, { index, outcome }: Work): RalphError {
  const why = wave.carried.has(index)
    ? `it failed before this stage; run that again: ralph wave redrive ${wave.chain.root}`
    : (outcome?.reason ?? 'it has no item')
  return new RalphError('item_barred', `item ${index} of wave ${wave.id} cannot run: ${why}`)
}

function noHat(wave: Wave, works: readonly Work[]): RalphError {
  const hats = [...new Set(works.map(({ hat }) => hat))].join(', ')
  return new RalphError('hat_unknown', `wave ${wave.id} cannot run again: the config has no hat ${hats}`, {
    hint: 'give the configuration of the run with -c and -H',
  })
}

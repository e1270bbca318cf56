import { settle } from '../wave/queue.ts'
import type { Adoption, Cost } from '../wave/wave.ts'
import type { Fact } from './fact.ts'
import type { State } from './state.ts'
import { findItem } from './work.ts'

/** An item that the journal holds for open was settled: its end is made good. */
export function absorbRecovered(state: State, fact: Extract<Fact, { type: 'item.recovered' }>): void {
  const item = findItem(state, fact.work)
  if (item === undefined || item.work.status === 'settled') return
  const { wave, work } = item
  countLost(state, work.hat, { known: work, now: fact })
  work.attempts = Math.max(work.attempts, fact.attempts)
  work.cost = fact.cost
  work.usage = fact.usage
  work.player ??= fact.player ?? null
  settle(wave, work, fact.outcome)
}

/** Agents that were at work when the run was cut: nobody will tell what they have cost. */
export function countCut({ running }: Pick<State, 'running'>): number {
  return [...running.values()].filter(({ pid, work }) => pid !== null && work.status !== 'settled').length
}

/** Results of waves that the journal does not know: what asks the same again takes them over. */
export function takeFound(
  state: State,
  found: readonly (readonly [key: string, adoption: Adoption])[],
): void {
  state.adoptable = new Map([...state.adoptable, ...found])
  for (const [, adoption] of found) {
    const { run, wave, index } = adoption.from
    const place = `${wave}/${index}`
    // What an earlier run has paid is no cost of this one, and what the journal knows was counted.
    if (run !== state.run.id || state.knownWaves.has(wave) || state.found.has(place)) continue
    state.found.add(place)
    countLost(state, null, { known: NOTHING, now: adoption })
  }
}

/**
 * An iteration is closed: no later one is given the results that were there to be taken over. Those of a lost wave are for
 * the iteration that the journal has lost with it, which is repeated by the first that begins after the resumption.
 */
export function endOffer(state: State, iteration: number): void {
  const { lost } = state
  if (lost !== null && iteration <= lost.since) return
  for (const wave of lost?.waves ?? []) state.pastLost.add(wave)
  state.lost = null
  state.adoptable = new Map()
}

type Spent = Pick<Adoption, 'attempts' | 'cost' | 'usage'>

const NOTHING: Spent = { attempts: 0, cost: { unknown: true }, usage: null }

/** What the lost records had counted for the run (agents, cost, tokens) counts again, as far as an outcome tells it. */
function countLost(
  state: State,
  hat: string | null,
  of: { readonly known: Spent; readonly now: Spent },
): void {
  const { known, now } = of
  const { totals } = state
  if (hat !== null && known.attempts === 0 && now.attempts > 0)
    state.activations.set(hat, (state.activations.get(hat) ?? 0) + 1)
  totals.agentsStarted += Math.max(0, now.attempts - known.attempts)
  const lost = usdOf(now.cost) - usdOf(known.cost)
  if ('usd' in now.cost && lost > 0) {
    totals.costUsd += lost
    totals.costSource ??= now.cost.source
  }
  totals.inputTokens += Math.max(0, (now.usage?.input ?? 0) - (known.usage?.input ?? 0))
  totals.outputTokens += Math.max(0, (now.usage?.output ?? 0) - (known.usage?.output ?? 0))
}

function usdOf(cost: Cost): number {
  return 'usd' in cost ? cost.usd : 0
}

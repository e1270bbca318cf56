import { RalphError } from '../errors.ts'
import type { Topology } from '../topology.ts'
import { adoptable } from '../wave/adopt.ts'
import type { Chain } from '../wave/chain.ts'
import { digestInstructions, type KeyedItem } from '../wave/item-key.ts'
import { limitActivations, type PlanRules, planWave, workersOf } from '../wave/plan.ts'
import { redriveItems, type Selection } from '../wave/redrive.ts'
import type { Wave, WaveId, Work } from '../wave/wave.ts'
import { isAtRest } from './absorb-resume.ts'
import type { FactBody } from './fact.ts'
import { planRules } from './plan-rules.ts'
import type { Rules, State } from './state.ts'

type RedrivenFact = Extract<FactBody, { type: 'wave.redriven' }>

export interface RedriveWish {
  readonly wave: WaveId
  readonly selection: Selection
}

export interface RedrivenRequest {
  readonly wish: RedriveWish
  /** Of the new wave. */
  readonly id: WaveId
  /** As the journal leaves it; nothing of it runs any more. */
  readonly state: State
  /** All waves that the run has merged. */
  readonly merged: ReadonlyMap<WaveId, Wave>
  /** The config of now. */
  readonly rules: Rules
  readonly topology: Topology
}

/**
 * The fact that opens a wave of a loop again, to be told once the run is resumed; null if no item is to run. Throws
 * `wave_open`, `run_unfinished`, `wave_unknown`, `wave_chained`, and what `redriveItems` gives.
 */
export function redrivenFact(
  request: RedrivenRequest,
): { readonly fact: RedrivenFact; readonly warnings: readonly string[] } | null {
  const { wish, id, state, merged } = request
  checkRest(state, wish.wave)
  const wave = merged.get(wish.wave)
  if (wave === undefined) throw new RalphError('wave_unknown', `the run has merged no wave ${wish.wave}`)
  const rules = rulesNow(request)
  const chosen = redriveItems({
    run: state.run.id,
    wave,
    selection: wish.selection,
    now: (work) => askedNow(work, rules),
  })
  if (!chosen.ok) throw chosen.error
  const left = new Map<string, number>()
  const exhausted = new Set<string>()
  if (chosen.value.runs === 0) return null
  const items = chosen.value.items.map((item) => limitActivations(item, { rules, left, exhausted }))

  const plan = planWave({ id, inferred: wave.inferred }, items, rules, workersOf(items))
  const chain = chainOf(wave, id)
  const fact: RedrivenFact = {
    type: 'wave.redriven',
    of: wave.id,
    plan: { ...plan, redriveOf: wave.id, ...(chain === null ? {} : { chain }) },
    exhausted: [...exhausted],
    later: [...adoptable(state.run.id, laterStages(wave, merged))],
  }
  return { fact, warnings: tellChanged(chosen.value.changed) }
}

/** Paid work that is done anew needs a word. */
export function tellChanged(indices: readonly number[]): readonly string[] {
  if (indices.length === 0) return []
  const which = indices.length === 1 ? `item ${indices[0]} runs` : `items ${indices.join(', ')} run`
  return [`${which} again, with a result that is there: backend, model or instructions are not those of then`]
}

/** A part of a wave runs again between two iterations. What was begun before is finished first. */
function checkRest(state: State, waveId: WaveId): void {
  const open = state.waves.get(waveId) ?? [...state.waves.values()][0]
  const hint = '`ralph run --continue` finishes it first'
  if (open !== undefined) {
    const counts = `${open.settled} of ${open.works.length} items settled`
    throw new RalphError('wave_open', `wave ${open.id} is still open (${counts})`, { hint })
  }
  if (state.loop === null || !isAtRest(state, state.loop)) {
    throw new RalphError(
      'run_unfinished',
      `the run ${state.run.id} was cut in the middle of an iteration's end`,
      {
        hint,
      },
    )
  }
}

/** No iteration is at work, so that none is promised an activation. */
function rulesNow({ state, rules, topology }: RedrivenRequest): PlanRules {
  const loop = state.loop === null ? null : { ...state.loop, current: null }
  return planRules({ ...state, rules, topology, loop })
}

function askedNow({ hat: id, payload }: Work, { topology, reuse }: PlanRules): KeyedItem | null {
  const hat = topology.hat(id)
  const player = reuse?.playerOf(id) ?? null
  if (hat === undefined || player === null) return null
  return { hat: id, payload, player, instructions: digestInstructions(hat.instructions) }
}

/** A wave that began a chain may begin one again; a later stage stays the last one of its own. */
function chainOf({ chain, id }: Wave, fresh: WaveId): Chain | null {
  if (chain.stage === 1) return null
  if (chain.waiting.length > 0) {
    throw new RalphError(
      'wave_chained',
      `wave ${id} is a part of a chain, and earlier parts have results of their own`,
      {
        hint: `ralph wave redrive ${chain.root} takes up the whole chain; what is done in it is not paid again`,
      },
    )
  }
  return { root: fresh, stage: 1, ran: chain.ran, waiting: [] }
}

function laterStages({ chain }: Wave, merged: ReadonlyMap<WaveId, Wave>): readonly Wave[] {
  return [...merged.values()].filter(
    (other) => other.chain.root === chain.root && other.chain.stage > chain.stage,
  )
}

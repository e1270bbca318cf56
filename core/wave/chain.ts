import type { Event } from '../event.ts'
import type { Hat, HatId } from '../hat.ts'
import type { Topology } from '../topology.ts'
import { adoptionsFor } from './adopt.ts'
import { limitActivations, type PlanRules, planWave, type WaveItem, type WavePlan } from './plan.ts'
import type { Wave, WaveId, Work } from './wave.ts'

/** Where a wave stands in a chain of waves (contract/waves §9.1). */
export interface Chain {
  /** Id of the first wave. */
  readonly root: WaveId
  /** From 1. */
  readonly stage: number
  /** Worker hats of the stages so far, this one included: a hat runs once in a chain. */
  readonly ran: readonly HatId[]
  /** Earlier stages with results for hats that are no stage: delivered with the last wave. */
  readonly waiting: readonly WaveId[]
}

export interface Stage {
  /** Results that become items, in index order. */
  readonly items: readonly { readonly work: Work; readonly event: Event; readonly hat: Hat }[]
  /** True if some result goes elsewhere, and waits. */
  readonly hasOthers: boolean
  /** Hats that would run a second time. */
  readonly repeated: readonly HatId[]
}

/** What of a finished wave becomes the next wave before any aggregator runs: results for hats with concurrency above 1. */
export function nextStage(wave: Wave, topology: Topology): Stage {
  const items: Stage['items'][number][] = []
  const repeated = new Set<HatId>()
  let results = 0
  for (const work of wave.works) {
    if (work.outcome?.class !== 'result') continue
    for (const event of work.outcome.events) {
      results += 1
      const hat = topology.receiver(event.topic)
      if (hat === null || hat.concurrency === 1 || hat.aggregate !== undefined) continue
      if (wave.chain.ran.includes(hat.id)) repeated.add(hat.id)
      else items.push({ work, event, hat })
    }
  }
  return { items, hasOthers: items.length < results, repeated: [...repeated] }
}

/** The plan of the stage that follows `wave`, with what failed before under its index. */
export function planStage(
  wave: Wave,
  rules: PlanRules,
): { readonly plan: WavePlan; readonly exhausted: readonly HatId[] } {
  const { items, hasOthers } = nextStage(wave, rules.topology)
  const left = new Map<HatId, number>()
  const exhausted = new Set<HatId>()
  const used = new Set<number>(wave.works.map((work) => work.index))
  const seen = new Set<number>()
  const adoptions = adoptionsFor(items, rules.reuse)
  const runs = items.map(({ work, event, hat }, i): WaveItem => {
    const adopted = adoptions[i]
    const index = seen.has(work.index) ? nextFree(used) : work.index
    seen.add(index)
    used.add(index)
    const item = { index, hat: hat.id, event, ...(adopted === undefined ? {} : { adopted }) }
    return limitActivations(item, { rules, left, exhausted })
  })
  const carried = wave.works.flatMap((work): WaveItem[] => {
    if (work.outcome?.class !== 'failure') return []
    const event = { topic: work.topic, payload: work.payload }
    return [{ index: work.index, hat: work.hat, event, carried: work.outcome }]
  })
  const all = [...runs, ...carried].sort((a, b) => a.index - b.index)
  let stage = wave.chain.stage + 1
  // An agent may have dispatched a wave of that very id.
  while (rules.isKnown(`${wave.chain.root}.${stage}`)) stage += 1
  const plan = planWave(
    { id: `${wave.chain.root}.${stage}`, inferred: wave.inferred },
    all,
    rules,
    runs.filter(({ adopted }) => adopted === undefined).length,
  )
  const chain: Chain = {
    root: wave.chain.root,
    stage,
    ran: [...wave.chain.ran, ...Object.keys(plan.hats)],
    waiting: hasOthers ? [...wave.chain.waiting, wave.id] : wave.chain.waiting,
  }
  return { plan: { ...plan, chain }, exhausted: [...exhausted] }
}

function nextFree(used: ReadonlySet<number>): number {
  let index = 0
  while (used.has(index)) index++
  return index
}

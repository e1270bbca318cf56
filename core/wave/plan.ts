import { inline } from '../blob.ts'
import { type ControlTopics, isControl } from '../control.ts'
import type { Event } from '../event.ts'
import { isWaveId } from '../events-file/record.ts'
import type { Hat, HatId } from '../hat.ts'
import { matchesAny, type Topic } from '../topic.ts'
import type { Topology } from '../topology.ts'
import { adoptionsFor, type Reuse } from './adopt.ts'
import type { Chain } from './chain.ts'
import { missingIndices } from './detect.ts'
import type { Adoption, Dispatch, Outcome } from './wave.ts'

/** A wave as it is journalled when it is opened: all that its course depends on. */
export interface WavePlan {
  readonly id: string
  readonly inferred: boolean
  readonly hats: Readonly<Record<HatId, Hat>>
  readonly aggregators: readonly HatId[]
  readonly total: number
  /** By index, without gaps. */
  readonly items: readonly WaveItem[]
  /** Worker timeout by hat, seconds. */
  readonly timeouts: Readonly<Record<HatId, number>>
  readonly deadlineSeconds: number | null
  /** Of `ralph wave run`: its prompt, or null for the bare payload. Null for waves of a loop. */
  readonly shell: { readonly template: string | null } | null
  /** Absent: the first wave of a chain, or one that stays alone. */
  readonly chain?: Chain
  /** The wave of which this one runs a part again. */
  readonly redriveOf?: string
}

export interface WaveItem {
  readonly index: number
  readonly hat: HatId
  readonly event: Event
  /** An item that never runs, and why. */
  readonly barred?: 'missing' | 'exhausted' | 'scope_violation'
  /** How it failed in an earlier stage of the chain: it does not run again. */
  readonly carried?: Outcome
  /** What an earlier wave has paid for: it does not run again. */
  readonly adopted?: Adoption
}

/** What became of the dispatches of one read. */
export interface Resolution {
  readonly plans: readonly WavePlan[]
  /** Lines that are no items: delivered like plain events. */
  readonly ordinary: readonly Event[]
  /** `wave.refused`: payloads for the next prompt. */
  readonly refusals: readonly string[]
  /** Topics outside the dispatcher's `publishes`. */
  readonly violations: readonly Topic[]
  /** Hats that have no activation left for some item. */
  readonly exhausted: readonly HatId[]
}

export interface PlanRules {
  readonly topology: Topology
  readonly control: ControlTopics
  readonly maxWaveItems: number
  readonly maxConcurrency: number
  /** Activations left of a hat; Infinity without a limit. */
  readonly activationsLeft: (hat: HatId) => number
  /** Patterns that the dispatcher may use; null: free (contract/waves §12.1). */
  readonly allowed: readonly string[] | null
  readonly isKnown: (id: string) => boolean
  /** Absent: every item runs. */
  readonly reuse?: Reuse
}

const DEFAULT_WORKER_SECONDS = 300
const DEADLINE_SLACK_SECONDS = 30

/** What becomes of the dispatches of one read (contract/waves §6). Pure: the fold journals the answer. */
export function resolveDispatches(dispatches: readonly Dispatch[], rules: PlanRules): Resolution {
  const sorted = dispatches.map((dispatch) => sortLines(dispatch, rules))
  const workers = sorted.reduce((sum, one) => sum + workersOf(one.items), 0)
  const left = new Map<HatId, number>()
  const exhausted = new Set<HatId>()
  const plans = sorted.flatMap((one) => {
    const items = one.items.map((item) => limitActivations(item, { rules, left, exhausted }))
    return items.length === 0 ? [] : [planWave(one.dispatch, items, rules, workers)]
  })
  return {
    plans,
    ordinary: sorted.flatMap((one) => one.ordinary),
    refusals: sorted.flatMap((one) => one.refusals),
    violations: [...new Set(sorted.flatMap((one) => one.violations))],
    exhausted: [...exhausted],
  }
}

/** How many of the items run. */
export function workersOf(items: readonly WaveItem[]): number {
  return items.filter(
    ({ barred, adopted, carried }) => barred === undefined && adopted === undefined && carried === undefined,
  ).length
}

/** Worker timeout of a hat in seconds: its own, else the largest of the aggregators it feeds, else 300 (contract/waves §8.2). */
export function workerTimeout(hat: Hat, topology: Topology): number {
  const theirs = topology.aggregatorsOf(hat.id).map((one) => one.aggregate?.timeoutSeconds ?? 0)
  return hat.timeoutSeconds ?? (theirs.length > 0 ? Math.max(...theirs) : DEFAULT_WORKER_SECONDS)
}

interface Sorted {
  readonly dispatch: Dispatch
  readonly items: readonly WaveItem[]
  readonly ordinary: readonly Event[]
  readonly refusals: readonly string[]
  readonly violations: readonly Topic[]
}

/** Parts the lines of one dispatch into items, ordinary events and refusals (contract/waves §6.3). */
function sortLines(dispatch: Dispatch, rules: PlanRules): Sorted {
  const lines = [...dispatch.items].sort(([a], [b]) => a - b)
  const refused = (reason: string): Sorted => ({
    dispatch,
    items: [],
    ordinary: [],
    refusals: [
      `Wave ${dispatch.id.slice(0, 128)} was refused: ${reason}. ${topicsOf(lines.map(([, event]) => event))} Items: ${Math.max(dispatch.total, lines.length)}. None of these items ran.`,
    ],
    violations: [],
  })
  if (!isWaveId(dispatch.id))
    return refused('its id is not made of 1 to 128 letters, digits, dots, underscores and dashes')
  if (rules.isKnown(dispatch.id)) return refused('a wave of this id has already run')
  if (dispatch.total > rules.maxWaveItems) {
    return refused(`it has ${dispatch.total} items, and features.max_wave_items is ${rules.maxWaveItems}`)
  }

  const items: WaveItem[] = []
  const ordinary: Event[] = []
  const control: Event[] = []
  const violations: Topic[] = []
  for (const [index, event] of lines) {
    const hat = rules.topology.receiver(event.topic)
    if (isControl(rules.control, event.topic)) control.push(event)
    else if (rules.allowed !== null && !matchesAny(rules.allowed, event.topic)) {
      violations.push(event.topic)
      items.push({ index, hat: hat?.id ?? '', event, barred: 'scope_violation' })
    } else if (hat === null || hat.aggregate !== undefined) ordinary.push(event)
    else items.push({ index, hat: hat.id, event })
  }
  const refusals =
    control.length === 0
      ? []
      : [
          `Items of wave ${dispatch.id} were refused: a control topic cannot be dispatched as a wave. ${topicsOf(control)} Items: ${control.length}. They did not run.`,
        ]
  if (!needsWorkers(items, rules.topology)) {
    const plain = items.filter((item) => item.barred === undefined).map((item) => item.event)
    return { dispatch, items: [], ordinary: [...ordinary, ...plain], refusals, violations }
  }
  const taken = withAdoptions(items, rules)
  return { dispatch, items: withMissing(dispatch, taken), ordinary, refusals, violations }
}

function withAdoptions(items: readonly WaveItem[], { topology, reuse }: PlanRules): readonly WaveItem[] {
  const open = items.flatMap((item) => {
    const hat = topology.hat(item.hat)
    return item.barred !== undefined || hat === undefined ? [] : [{ item, event: item.event, hat }]
  })
  const adoptions = new Map(adoptionsFor(open, reuse).map((adopted, i) => [open[i]?.item, adopted]))
  return items.map((item) => {
    const adopted = adoptions.get(item)
    return adopted === undefined ? item : { ...item, adopted }
  })
}

/** A wave takes a hat with concurrency above 1, or several hats. */
function needsWorkers(items: readonly WaveItem[], topology: Topology): boolean {
  const hats = new Set(items.filter((item) => item.barred === undefined).map((item) => item.hat))
  return hats.size > 1 || [...hats].some((id) => (topology.hat(id)?.concurrency ?? 1) > 1)
}

/** An index without a line is an item too: it can never run. */
function withMissing(dispatch: Dispatch, items: readonly WaveItem[]): readonly WaveItem[] {
  const model = items.find((item) => item.barred === undefined) ?? items[0]
  if (model === undefined) return items
  const missing = missingIndices(dispatch).map(
    (index): WaveItem => ({
      index,
      hat: model.hat,
      event: { topic: model.event.topic, payload: inline('') },
      barred: 'missing',
    }),
  )
  return [...items, ...missing].sort((a, b) => a.index - b.index)
}

/** With fewer activations left than items, the lowest indices run (contract/waves §11.1). */
export function limitActivations(
  item: WaveItem,
  count: { rules: PlanRules; left: Map<HatId, number>; exhausted: Set<HatId> },
): WaveItem {
  if (item.barred !== undefined || item.adopted !== undefined) return item
  const left = count.left.get(item.hat) ?? count.rules.activationsLeft(item.hat)
  count.left.set(item.hat, left - 1)
  if (left > 0) return item
  count.exhausted.add(item.hat)
  return { ...item, barred: 'exhausted' }
}

/** The plan of one wave of items that were sorted. */
export function planWave(
  dispatch: Pick<Dispatch, 'id' | 'inferred'>,
  items: readonly WaveItem[],
  rules: PlanRules,
  workersOfRead: number,
): WavePlan {
  const { topology } = rules
  const own = items.filter((item) => item.carried === undefined)
  const runs = own.filter((item) => item.adopted === undefined)
  const hats = [...new Set(own.map((item) => item.hat))].flatMap((id) => topology.hat(id) ?? [])
  const fed = new Set(hats.flatMap((hat) => topology.aggregatorsOf(hat.id)))
  const aggregators = topology.hats.filter((hat) => fed.has(hat))
  const timeouts = Object.fromEntries(hats.map((hat) => [hat.id, workerTimeout(hat, topology)]))
  const longest = Math.max(...Object.values(timeouts))
  return {
    id: dispatch.id,
    inferred: dispatch.inferred,
    hats: Object.fromEntries(hats.map((hat) => [hat.id, hat])),
    aggregators: aggregators.map((hat) => hat.id),
    total: items.length,
    items,
    timeouts,
    deadlineSeconds: deadline({
      hats,
      aggregators,
      items: runs,
      longest,
      workersOfRead,
      maxConcurrency: rules.maxConcurrency,
    }),
    shell: null,
  }
}

function deadline(of: {
  hats: readonly Hat[]
  aggregators: readonly Hat[]
  items: readonly WaveItem[]
  longest: number
  workersOfRead: number
  maxConcurrency: number
}): number {
  const set = of.aggregators.flatMap((hat) =>
    hat.aggregate?.timeoutIsSet ? [hat.aggregate.timeoutSeconds] : [],
  )
  if (set.length > 0) return Math.max(of.longest, ...set)
  const rounds = of.hats.map((hat) =>
    Math.ceil(of.items.filter((item) => item.hat === hat.id).length / hat.concurrency),
  )
  return (
    Math.max(...rounds, Math.ceil(of.workersOfRead / of.maxConcurrency)) * of.longest + DEADLINE_SLACK_SECONDS
  )
}

function topicsOf(events: readonly Event[]): string {
  return `Topics: ${[...new Set(events.map((event) => event.topic))].join(', ')}.`
}

import type { RoleHat } from '../../../core/backend/contract.ts'
import type { Hat, HatId } from '../../../core/hat.ts'
import { isConcrete, matches, matchesAny, type Pattern, type Topic } from '../../../core/topic.ts'
import { createTopology, type Topology } from '../../../core/topology.ts'

/** The graph of a run, as a player reads it. */
export interface Routes {
  readonly topology: Topology
  /** Every topic that a hat publishes or listens to, patterns made concrete. */
  readonly topics: readonly Topic[]
  /** Concrete topics that `patterns` allow, control topics left out, in order. */
  publishable(patterns: readonly Pattern[]): readonly Topic[]
  mayComplete(hat: Hat): boolean
  isControl(topic: Topic): boolean
}

/** One thing that a hat can hand over: a plain event, or a wave over the topics that belong together. */
export type Option =
  | { readonly kind: 'pass'; readonly topic: Topic; readonly to: Hat | null }
  | { readonly kind: 'wave'; readonly lanes: readonly Lane[] }

/** The topics of a wave that one hat gets. */
export interface Lane {
  readonly hat: Hat
  readonly topics: readonly Topic[]
}

/** `cancellation` undefined: the run has no such topic. */
export function createRoutes(
  graph: readonly RoleHat[],
  completion: Topic,
  cancellation: Topic | undefined,
): Routes {
  const topology = createTopology(graph.map(hatOf))
  const isControl = (topic: Topic): boolean =>
    topic === completion || topic === cancellation || topic.startsWith('human.')
  const triggers = topology.hats.flatMap((hat) => hat.triggers.filter(isConcrete))
  const publishable = (patterns: readonly Pattern[]): readonly Topic[] => [
    ...new Set(
      patterns.flatMap((pattern) => concrete(pattern, triggers)).filter((topic) => !isControl(topic)),
    ),
  ]
  return {
    topology,
    topics: publishable(topology.hats.flatMap((hat) => [...hat.publishes, ...hat.triggers])),
    publishable,
    mayComplete: (hat) => matchesAny(hat.publishes, completion),
    isControl,
  }
}

/** Topics that form one wave stand together (contract/waves §15); every other one stands alone. In order of the topics. */
export function optionsOf(topics: readonly Topic[], topology: Topology): readonly Option[] {
  const groups = new Map<string, { readonly topic: Topic; readonly to: Hat | null }[]>()
  for (const topic of topics) {
    const to = topology.receiver(topic)
    const key = groupOf(to, topology) ?? `topic ${topic}`
    groups.set(key, [...(groups.get(key) ?? []), { topic, to }])
  }
  return [...groups.values()].flatMap((group): readonly Option[] => {
    const lanes = lanesOf(group)
    const isWave = lanes.length > 1 || lanes.some((lane) => lane.hat.concurrency > 1)
    return isWave ? [{ kind: 'wave', lanes }] : group.map((one) => ({ kind: 'pass', ...one }))
  })
}

export function topicsOf(option: Option): readonly Topic[] {
  return option.kind === 'pass' ? [option.topic] : option.lanes.flatMap((lane) => lane.topics)
}

/** Steps from each hat to the completion promise: 0 for one that may publish it; a hat without a way has no entry. */
export function distancesToEnd(routes: Routes): ReadonlyMap<HatId, number> {
  const distances = new Map<HatId, number>()
  for (let changed = true; changed; ) {
    changed = false
    for (const hat of routes.topology.hats) {
      const distance = ownDistance(hat, routes, distances)
      if (distance >= (distances.get(hat.id) ?? Number.POSITIVE_INFINITY)) continue
      distances.set(hat.id, distance)
      changed = true
    }
  }
  return distances
}

/** Longer than any way over hats: an end that no hat asked for is the last resort. */
const DETOUR = 1000

/** Steps from handing over `option` until somebody completes. */
export function distanceOf(option: Option, distances: ReadonlyMap<HatId, number>): number {
  if (option.kind === 'pass' && option.to === null) return DETOUR
  const hats = option.kind === 'pass' ? [option.to] : option.lanes.map((lane) => lane.hat)
  return Math.min(...hats.map((hat) => 1 + ((hat && distances.get(hat.id)) ?? Number.POSITIVE_INFINITY)))
}

function ownDistance(hat: Hat, routes: Routes, distances: ReadonlyMap<HatId, number>): number {
  // A worker's completion event never acts on the loop.
  if (hat.concurrency === 1 && routes.mayComplete(hat)) return 0
  if (hat.publishes.length === 0) return DETOUR
  const options = optionsOf(routes.publishable(hat.publishes), routes.topology)
  return Math.min(...options.map((option) => distanceOf(option, distances)))
}

function groupOf(to: Hat | null, topology: Topology): string | null {
  if (to === null || to.aggregate) return null
  const aggregator = topology.aggregatorsOf(to.id)[0]
  if (aggregator) return `aggregator ${aggregator.id}`
  return to.concurrency > 1 ? `hat ${to.id}` : null
}

function lanesOf(group: readonly { readonly topic: Topic; readonly to: Hat | null }[]): readonly Lane[] {
  const lanes = new Map<HatId, Lane>()
  for (const { topic, to } of group)
    if (to) lanes.set(to.id, { hat: to, topics: [...(lanes.get(to.id)?.topics ?? []), topic] })
  return [...lanes.values()]
}

/** A pattern stands for the triggers that it matches; without one, `*` is given a name. */
function concrete(pattern: Pattern, triggers: readonly Topic[]): readonly Topic[] {
  if (isConcrete(pattern)) return [pattern]
  const known = triggers.filter((trigger) => matches(pattern, trigger))
  return known.length > 0 ? known : [pattern === '*' ? 'work.done' : pattern.replaceAll('*', 'done')]
}

/** Routing reads none of the fields that a role leaves out. */
function hatOf(hat: RoleHat): Hat {
  return {
    id: hat.id,
    name: hat.name,
    description: hat.name,
    triggers: hat.triggers,
    publishes: hat.publishes,
    instructions: '',
    backendArgs: [],
    disallowedTools: [],
    concurrency: hat.concurrency,
    ...(hat.aggregate
      ? {
          aggregate: { mode: 'wait_for_all', timeoutSeconds: 300, timeoutIsSet: false, budgetBytes: 200_000 },
        }
      : {}),
  }
}

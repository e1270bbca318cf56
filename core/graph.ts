import type { HatId } from './hat.ts'
import { isConcrete, matches } from './topic.ts'
import type { Topology } from './topology.ts'

/** The hats and the ways of their topics, from the coordinator to the end of the run. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  /** In the order of the hats; topics between the same two nodes share one. */
  readonly edges: readonly GraphEdge[]
}

export interface GraphNode {
  /** A word that is safe in any notation. */
  readonly key: string
  readonly kind: 'coordinator' | 'hat' | 'end'
  readonly hat: HatId | null
  readonly name: string
}

export interface GraphEdge {
  /** Keys of nodes. */
  readonly from: string
  readonly to: string
  readonly topics: readonly string[]
}

export function createGraph(topology: Topology, completionPromise: string): Graph {
  const keys = new Map<HatId, string>(topology.hats.map((hat, i) => [hat.id, `h${i}`]))
  const key = (id: HatId): string => keys.get(id) ?? COORDINATOR
  const edges = new Map<string, { from: string; to: string; topics: Set<string> }>()
  const connect = (from: string, to: string, topic: string): void => {
    const edge = edges.get(`${from} ${to}`) ?? { from, to, topics: new Set() }
    edge.topics.add(topic)
    edges.set(`${from} ${to}`, edge)
  }

  for (const topic of openingTopics(topology)) {
    for (const hat of topology.reached(topic)) connect(COORDINATOR, key(hat.id), topic)
  }
  for (const hat of topology.hats) {
    for (const topic of hat.publishes) {
      const reached = topology.reached(topic)
      if (topic === completionPromise) connect(key(hat.id), END, topic)
      else if (reached.length === 0) connect(key(hat.id), COORDINATOR, topic)
      for (const to of topic === completionPromise ? [] : reached) connect(key(hat.id), key(to.id), topic)
    }
  }
  connect(COORDINATOR, END, completionPromise)
  return {
    nodes: [
      { key: COORDINATOR, kind: 'coordinator', hat: null, name: 'Ralph, the coordinator' },
      ...topology.hats.map(({ id, name }): GraphNode => ({ key: key(id), kind: 'hat', hat: id, name })),
      { key: END, kind: 'end', hat: null, name: 'the run ends' },
    ],
    edges: [...edges.values()].map(({ from, to, topics }) => ({ from, to, topics: [...topics] })),
  }
}

const COORDINATOR = 'ralph'
const END = 'done'

/** Triggers that no hat publishes: only the coordinator, or the start of the run, can set them off. */
function openingTopics(topology: Topology): readonly string[] {
  const published = topology.hats.flatMap((hat) => hat.publishes)
  return topology.hats
    .flatMap((hat) => hat.triggers)
    .filter((trigger) => isConcrete(trigger) && !published.some((pattern) => matches(pattern, trigger)))
}

import type { HatId } from '../hat.ts'
import { isConcrete, matches } from '../topic.ts'
import type { Topology } from '../topology.ts'
import { oneLine } from './text.ts'

/** The hats and their topics as a Mermaid flowchart, without a fence. */
export function renderGraph(topology: Topology, completionPromise: string): string {
  const nodes = new Map<HatId, string>(topology.hats.map((hat, i) => [hat.id, `h${i}`]))
  const node = (id: HatId): string => nodes.get(id) ?? COORDINATOR
  const edges = new Map<string, Edge>()
  const connect = (from: string, to: string, topic: string): void => {
    const edge = edges.get(`${from} ${to}`) ?? { from, to, topics: new Set() }
    edge.topics.add(topic)
    edges.set(`${from} ${to}`, edge)
  }

  for (const topic of openingTopics(topology)) {
    for (const hat of topology.reached(topic)) connect(COORDINATOR, node(hat.id), topic)
  }
  for (const hat of topology.hats) {
    for (const topic of hat.publishes) {
      const reached = topology.reached(topic)
      if (topic === completionPromise) connect(node(hat.id), DONE, topic)
      else if (reached.length === 0) connect(node(hat.id), COORDINATOR, topic)
      for (const to of topic === completionPromise ? [] : reached) connect(node(hat.id), node(to.id), topic)
    }
  }
  connect(COORDINATOR, DONE, completionPromise)
  return [
    'flowchart LR',
    `  ${COORDINATOR}(["Ralph, the coordinator"])`,
    ...topology.hats.map((hat) => `  ${node(hat.id)}["${label(hat.name)}"]`),
    `  ${DONE}(["the run ends"])`,
    ...[...edges.values()].map(
      ({ from, to, topics }) => `  ${from} -->|"${label([...topics].join(', '))}"| ${to}`,
    ),
  ].join('\n')
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly topics: Set<string>
}

const COORDINATOR = 'ralph'
const DONE = 'done'

/** Triggers that no hat publishes: only the coordinator, or the start of the run, can set them off. */
function openingTopics(topology: Topology): readonly string[] {
  const published = topology.hats.flatMap((hat) => hat.publishes)
  return topology.hats
    .flatMap((hat) => hat.triggers)
    .filter((trigger) => isConcrete(trigger) && !published.some((pattern) => matches(pattern, trigger)))
}

/** Text that ends neither the label nor the fence around the graph. */
function label(text: string): string {
  return oneLine(text).replaceAll('"', '#quot;').replaceAll('`', "'")
}

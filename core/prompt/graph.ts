import { createGraph } from '../graph.ts'
import type { Topology } from '../topology.ts'
import { oneLine } from './text.ts'

/** The hats and their topics as a Mermaid flowchart, without a fence. */
export function renderGraph(topology: Topology, completionPromise: string): string {
  const { nodes, edges } = createGraph(topology, completionPromise)
  return [
    'flowchart LR',
    ...nodes.map(({ key, kind, name }) =>
      kind === 'hat' ? `  ${key}["${label(name)}"]` : `  ${key}(["${label(name)}"])`,
    ),
    ...edges.map(({ from, to, topics }) => `  ${from} -->|"${label(topics.join(', '))}"| ${to}`),
  ].join('\n')
}

/** Text that ends neither the label nor the fence around the graph. */
function label(text: string): string {
  return oneLine(text).replaceAll('"', '#quot;').replaceAll('`', "'")
}

import type { Graph, GraphNode } from '../../core/graph.ts'
import { safeText } from './safe-text.ts'

/** One paragraph a node, one branch an edge. Ends with a newline. */
export function renderUnicodeGraph({ nodes, edges }: Graph): string {
  const name = nameOf(nodes)
  return nodes
    .map(({ key }) => {
      const own = edges.filter((edge) => edge.from === key)
      const branches = own.map(({ to, topics }, i) => {
        const corner = i === own.length - 1 ? '└' : '├'
        return ` ${corner}─ ${safeText(topics.join(', '))} ─▶ ${name(to)}\n`
      })
      return branches.length === 0 ? '' : `${name(key)}\n${branches.join('')}`
    })
    .filter((paragraph) => paragraph !== '')
    .join('\n')
}

/** For Graphviz. Ends with a newline. */
export function renderDotGraph({ nodes, edges }: Graph): string {
  const quote = (text: string): string => JSON.stringify(safeText(text))
  return [
    'digraph ralph {',
    '  rankdir=LR;',
    ...nodes.map(
      ({ key, kind, name }) => `  ${key} [label=${quote(name)}, shape=${kind === 'hat' ? 'box' : 'oval'}];`,
    ),
    ...edges.map(({ from, to, topics }) => `  ${from} -> ${to} [label=${quote(topics.join('\n'))}];`),
    '}\n',
  ].join('\n')
}

/** As data: hats by their ids, the coordinator as `ralph`, the end as null. */
export function describeGraph({ nodes, edges }: Graph): object {
  const id = (key: string): string | null => {
    const node = nodes.find((one) => one.key === key)
    return node?.kind === 'coordinator' ? 'ralph' : (node?.hat ?? null)
  }
  return {
    hats: nodes.flatMap(({ hat, name }) => (hat === null ? [] : [{ id: hat, name }])),
    edges: edges.map(({ from, to, topics }) => ({ from: id(from), to: id(to), topics })),
  }
}

function nameOf(nodes: readonly GraphNode[]): (key: string) => string {
  const names = new Map(
    nodes.map(({ key, hat, name }) => [key, safeText(hat === null ? name : `${name} (${hat})`)]),
  )
  return (key) => names.get(key) ?? key
}

import { expect, test } from 'bun:test'
import { renderGraph } from '../../../core/prompt/graph.ts'
import { createTopology } from '../../../core/topology.ts'
import { CHAIN, hat } from './briefs.ts'

test('a chain is drawn from the coordinator to the end of the run', () => {
  expect(renderGraph(createTopology(CHAIN), 'LOOP_COMPLETE').split('\n')).toEqual([
    'flowchart LR',
    '  ralph(["Ralph, the coordinator"])',
    '  h0["a"]',
    '  h1["b"]',
    '  done(["the run ends"])',
    '  ralph -->|"work.start"| h0',
    '  h0 -->|"b.go"| h1',
    '  h1 -->|"LOOP_COMPLETE"| done',
    '  ralph -->|"LOOP_COMPLETE"| done',
  ])
})

test('topics between the same two hats share an edge, and unheard ones go to the coordinator', () => {
  const hats = [hat('a', { publishes: ['x', 'y', 'unheard'] }), hat('b', { triggers: ['x', 'y'] })]
  const graph = renderGraph(createTopology(hats), 'END')
  expect(graph).toContain('h0 -->|"x, y"| h1')
  expect(graph).toContain('h0 -->|"unheard"| ralph')
})

test('a name breaks neither its label nor the fence around the graph', () => {
  const graph = renderGraph(createTopology([hat('a', { name: 'say "hi"\n```' })]), 'END')
  expect(graph).toContain(`h0["say #quot;hi#quot; '''"]`)
})

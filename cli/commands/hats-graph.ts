import { createGraph } from '../../core/graph.ts'
import { renderGraph } from '../../core/prompt/graph.ts'
import { createTopology } from '../../core/topology.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { describeGraph, renderDotGraph, renderUnicodeGraph } from '../view/graph.ts'
import { jsonLine } from '../view/json.ts'

const spec = {
  name: 'hats graph',
  summary: 'Draws who hands over to whom',
  examples: [
    'ralph hats graph',
    'ralph hats graph -H builtin:wave-review --format dot | dot -Tsvg > hats.svg',
  ],
  positionals: [],
  flags: {
    format: {
      type: 'one',
      value: 'FORMAT',
      choices: ['unicode', 'mermaid', 'dot', 'json'],
      description: 'unicode, mermaid, dot or json',
      default: 'unicode',
      group: 'Output',
    },
    json: { type: 'bool', description: 'The same as --format json', group: 'Output' },
    backend: {
      type: 'one',
      short: 'b',
      value: 'B',
      description: 'No effect: no agent draws it',
      hidden: true,
    },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph hats graph` */
export const hatsGraph: Command = createCommand(spec, async ({ flags }) => {
  const { loadHats } = await import('../hats.ts')
  const { hats, eventLoop } = await loadHats(flags)
  if (flags.backend !== undefined) writeErr('warning: -b has no effect here\n')
  const topology = createTopology(hats)
  const graph = createGraph(topology, eventLoop.completionPromise)
  switch (flags.json ? 'json' : flags.format) {
    case 'json':
      writeOut(`${jsonLine(describeGraph(graph))}\n`)
      break
    case 'mermaid':
      writeOut(`${renderGraph(topology, eventLoop.completionPromise)}\n`)
      break
    case 'dot':
      writeOut(renderDotGraph(graph))
      break
    default:
      writeOut(renderUnicodeGraph(graph))
  }
  return 0
})

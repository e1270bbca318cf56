import { AGENT_FLAGS } from '../agent-flags.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'

const spec = {
  name: 'wave redrive',
  summary: 'Runs parts of a finished wave again; the aggregator gets the whole anew',
  examples: [
    'ralph wave redrive w-18ecd8a4cd3de953-24110-0',
    'ralph wave redrive w-18ecd8a4cd3de953-24110-0 --only 3,7-9',
    'ralph wave redrive w-18ecd8a4cd3de953-24110-0 --failed -b codex',
  ],
  positionals: [{ name: 'WAVE-ID', required: true, description: 'As `ralph wave emit` printed it' }],
  rest: { name: 'ARGS…', description: "Further arguments of the backend's program" },
  flags: {
    failed: {
      type: 'bool',
      description: 'Only items without a result',
      default: 'those, and items whose hat, instructions, backend or model have changed',
      group: 'Items',
    },
    only: {
      type: 'one',
      value: 'INDICES',
      description: 'Only these, such as 3,7-9, counted as `ralph wave results` shows them',
      group: 'Items',
    },
    ...AGENT_FLAGS,
    backend: {
      ...AGENT_FLAGS.backend,
      default: "the config's; of `ralph wave run` that of the wave",
    },
    exclusive: {
      type: 'bool',
      description: 'Wait while another run holds the workspace, instead of failing; waves of a loop',
      group: 'Run',
    },
    jobs: {
      type: 'one',
      short: 'j',
      value: 'N',
      description: 'Agents at once; waves of `ralph wave run`',
      default: 'as before',
      group: 'Run',
    },
    timeout: {
      type: 'one',
      value: 'SECONDS',
      description: 'Time limit of one attempt; waves of `ralph wave run`',
      default: 'as before',
      group: 'Run',
    },
    json: {
      type: 'bool',
      description: 'Of a loop the events of the run as NDJSON, of `ralph wave run` one object for each item',
      group: 'Output',
    },
    quiet: {
      type: 'bool',
      short: 'q',
      description: 'Only warnings, errors and the closing line on stderr',
      group: 'Output',
    },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

export type WaveRedriveSpec = typeof spec

/** `ralph wave redrive`: what it does is loaded when it is needed. */
export const waveRedrive: Command = createCommand(spec, async (parsed) =>
  (await import('../redrive.ts')).redriveWave(parsed),
)

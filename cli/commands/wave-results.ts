import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeOut } from '../stdout.ts'

const spec = {
  name: 'wave results',
  summary: 'Prints the settled results of a wave of any kept run',
  examples: [
    'ralph wave results w-18ecd8a4cd3de953-24110-0',
    'ralph wave results w-1 --json | jq -r ".[].status"',
  ],
  positionals: [{ name: 'WAVE-ID', required: true, description: 'As `ralph wave emit` printed it' }],
  flags: {
    format: {
      type: 'one',
      value: 'FORMAT',
      choices: ['text', 'json'],
      description: 'text or json',
      default: 'text',
      group: 'Output',
    },
    json: { type: 'bool', description: 'The same as --format json', group: 'Output' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph wave results` */
export const waveResults: Command = createCommand(spec, async ({ positionals, flags }) => {
  const { readWaveResults } = await import('../wave-results.ts')
  const { renderResults } = await import('../view/wave-results.ts')
  const { jsonLine } = await import('../view/json.ts')
  const [waveId = ''] = positionals
  const items = readWaveResults({ env: process.env, cwd: process.cwd() }, waveId)
  const isJson = flags.json || flags.format === 'json'
  writeOut(isJson ? `${jsonLine(items)}\n` : renderResults(items))
  return 0
})

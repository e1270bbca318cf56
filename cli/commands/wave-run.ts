import { AGENT_FLAGS } from '../agent-flags.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'

const spec = {
  name: 'wave run',
  summary: 'Gives each item of a list to an agent of its own, many at once; results come in input order',
  examples: [
    "git ls-files '*.ts' | ralph wave run --prompt 'List the public functions of {}'",
    "ls reports/*.md | ralph wave run --prompt 'Summarise {}' -j 8 --output jsonl",
    "ls reports/*.md | ralph wave run --prompt 'Summarise {}' --resume",
    "find . -name '*.po' -print0 | ralph wave run -0 --prompt 'Translate what is missing in {}'",
  ],
  positionals: [
    { name: 'RUN', required: false, description: 'With --resume: the run whose results are taken over' },
  ],
  rest: { name: 'ARGS…', description: "Further arguments of the backend's program" },
  flags: {
    prompt: {
      type: 'one',
      value: 'TEXT',
      description: 'The prompt; {} stands for the item, without {} the item follows it',
      default: 'the item itself',
      group: 'Work',
    },
    jobs: {
      type: 'one',
      short: 'j',
      value: 'N',
      description: 'Agents at once',
      default: '4',
      group: 'Work',
    },
    timeout: {
      type: 'one',
      value: 'SECONDS',
      description: 'Time limit of one attempt',
      default: '300',
      group: 'Work',
    },
    output: {
      type: 'one',
      value: 'FORMAT',
      choices: ['text', 'jsonl'],
      description: 'text: the results; jsonl: one object for each item, failed ones included',
      default: 'text',
      group: 'Work',
    },
    nul: { type: 'bool', short: '0', description: 'Items are separated by NULs', group: 'Items' },
    jsonl: { type: 'bool', description: 'Items are objects, one a line: {"payload": …}', group: 'Items' },
    'payloads-file': {
      type: 'one',
      value: 'FILE',
      description: 'Where the items are',
      default: 'stdin, one per line',
      group: 'Items',
    },
    resume: {
      type: 'bool',
      description: 'Run only what an earlier run has no result for: the last one that has some, or RUN',
      group: 'Items',
    },
    ...AGENT_FLAGS,
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

export type WaveRunSpec = typeof spec

/** `ralph wave run`: a wave without a loop (contract/waves §5.4). What it does is loaded when it is needed. */
export const waveRun: Command = createCommand(spec, async (parsed) =>
  (await import('../shell-wave.ts')).runShellWave(parsed),
)

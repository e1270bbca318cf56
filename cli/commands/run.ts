import { AGENT_FLAGS } from '../agent-flags.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'

/** Of every command that plays a loop. */
export const RUN_FLAGS = {
  prompt: {
    type: 'one',
    short: 'p',
    value: 'TEXT',
    description: 'What is to be done',
    group: 'Objective',
  },
  'prompt-file': {
    type: 'one',
    short: 'P',
    value: 'FILE',
    description: 'The same from a file; - is stdin',
    default: 'stdin if it is piped, event_loop.prompt, PROMPT.md',
    group: 'Objective',
  },
  ...AGENT_FLAGS,
  'max-iterations': {
    type: 'one',
    value: 'N',
    description: 'End after so many iterations',
    default: '100',
    group: 'Limits',
  },
  'completion-promise': {
    type: 'one',
    value: 'TOPIC',
    description: 'The event that ends the run',
    default: 'LOOP_COMPLETE',
    group: 'Limits',
  },
  'total-limits': {
    type: 'bool',
    description: 'Iterations and runtime count over all invocations of the run',
    group: 'Limits',
  },
  continue: {
    type: 'bool',
    description: 'Go on with the last run of this workspace, or with RUN',
    group: 'Run',
  },
  'loop-id': {
    type: 'one',
    value: 'ID',
    description: 'With --continue: the same as RUN',
    group: 'Run',
  },
  exclusive: {
    type: 'bool',
    description: 'Wait while another run holds the workspace, instead of failing',
    group: 'Run',
  },
  'dry-run': { type: 'bool', description: 'Show what would run and how, start nothing', group: 'Run' },
  json: {
    type: 'bool',
    description: 'Events of the run as NDJSON on stdout, instead of the result',
    group: 'Output',
  },
  quiet: {
    type: 'bool',
    short: 'q',
    description: 'Only warnings, errors and the closing line on stderr',
    group: 'Output',
  },
  'no-tui': { type: 'bool', description: 'As always', hidden: true },
  autonomous: { type: 'bool', short: 'a', description: 'As always', hidden: true },
  'skip-preflight': { type: 'bool', description: 'As always', hidden: true },
  'no-auto-merge': { type: 'bool', description: 'As always', hidden: true },
  'idle-timeout': { type: 'one', value: 'SECONDS', description: 'No effect', hidden: true },
  'legacy-tui': { type: 'bool', description: 'No effect', hidden: true },
  rpc: { type: 'bool', description: 'Not available', hidden: true },
  'record-session': { type: 'one', value: 'FILE', description: 'Not available', hidden: true },
  ...GLOBAL_FLAGS,
} as const satisfies LeafSpec['flags']

const spec = {
  name: 'run',
  summary: 'Runs a loop of agents until the work is done',
  examples: [
    "ralph run -p 'Make the failing tests pass'",
    'ralph run -H builtin:wave-review -P review.md',
    "ralph run -p 'Try the hats without a model' -H builtin:wave-review -b mock",
    "result=$(ralph run -q -p 'Summarise the changes of today')",
    'ralph run --continue',
  ],
  positionals: [
    {
      name: 'RUN',
      required: false,
      description: 'With --continue: the run to go on with, as `ralph runs` lists it',
    },
  ],
  rest: { name: 'ARGS…', description: "Further arguments of the backend's program" },
  stray: 'An objective is given with -p TEXT.',
  flags: RUN_FLAGS,
} as const satisfies LeafSpec

export type RunSpec = typeof spec

/** `ralph run`: one loop. What it does is loaded when it is needed; its help page needs none of it. */
export const run: Command = createCommand(spec, async (parsed) =>
  (await import('../loop.ts')).runLoop(parsed),
)

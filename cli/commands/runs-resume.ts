import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { RUN_FLAGS } from './run.ts'

const { continue: _continue, 'loop-id': _loopId, ...flags } = RUN_FLAGS

const spec = {
  name: 'runs resume',
  summary: 'Goes on with a run of this workspace: the same as `ralph run --continue RUN`',
  examples: ['ralph runs resume aa3bdda1', "ralph runs resume aa3bdda1 -p 'And now the tests'"],
  positionals: [
    { name: 'RUN', required: true, description: "A run's id, or the beginning of it or of its last part" },
  ],
  rest: { name: 'ARGS…', description: "Further arguments of the backend's program" },
  stray: 'An objective is given with -p TEXT.',
  flags,
} as const satisfies LeafSpec

/** `ralph runs resume RUN` */
export const runsResume: Command = createCommand(spec, async (parsed) =>
  (await import('../loop.ts')).runLoop({
    ...parsed,
    flags: { ...parsed.flags, continue: true, 'loop-id': undefined },
  }),
)

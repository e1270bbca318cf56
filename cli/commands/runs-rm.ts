import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'runs rm',
  summary: 'Removes runs with all that is kept of them; one in progress is refused',
  examples: ['ralph runs rm aa3bdda1', 'ralph runs rm aa3b 7c01 --dry-run'],
  positionals: [
    {
      name: 'RUN',
      required: true,
      variadic: true,
      description: "A run's id, or the beginning of it or of its last part",
    },
  ],
  flags: {
    'dry-run': { type: 'bool', description: 'Only list what would be removed', group: 'Runs' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph runs rm RUN…`: all that are named, or none. */
export const runsRm: Command = createCommand(spec, async ({ positionals, flags }) => {
  const { findAllRuns } = await import('../world/known-runs.ts')
  const { pickAmong } = await import('../world/pick-run.ts')
  const { checkFree, removeRun } = await import('../runs/remove-run.ts')
  const { listRuns } = await import('../runs/list-runs.ts')
  const { unmergedNote } = await import('../view/spared.ts')
  const cwd = process.cwd()
  const all = findAllRuns({ env: process.env, cwd })
  const runs = new Set(positionals.map((word) => pickAmong(all, word, cwd)))
  for (const run of runs) checkFree(run)
  const listed = listRuns({ env: process.env, cwd }, true)
  for (const run of runs) {
    const told = listed.find((one) => one.run_id === run.id)
    const note = told === undefined ? null : unmergedNote(told)
    if (!flags['dry-run']) await removeRun(run, process.env)
    writeOut(`${safeText(run.dir)}\n`)
    if (note !== null) writeErr(`${note}\n`)
  }
  return 0
})

import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS, listing } from '../listing.ts'
import { writeErr } from '../stdout.ts'
import { lookAtTerminal, stdoutColumns } from '../terminal.ts'

const spec = {
  name: 'runs list',
  summary: 'Lists the runs of this workspace, loops and waves from the shell; the latest comes first',
  examples: [
    'ralph runs',
    'ralph runs --all',
    'ralph runs --json | jq -r \'.[] | select(.state == "cut") | .run_id\'',
  ],
  positionals: [],
  flags: {
    all: { type: 'bool', description: 'All that are kept, of every workspace', group: 'Runs' },
    ...LISTING_FLAGS,
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph runs [list]` */
export const runsList: Command = createCommand(spec, async ({ flags }) => {
  const { countStrays, listRuns } = await import('../runs/list-runs.ts')
  const { runColumns } = await import('../view/run-columns.ts')
  const place = { env: process.env, cwd: process.cwd() }
  const runs = listRuns(place, flags.all)
  const columns = stdoutColumns(lookAtTerminal(flags.color, process.env))
  listing(runColumns({ withWorkspace: flags.all, columns }), flags, { preview: true }).print(runs)
  if (runs.length === 0) writeErr(flags.all ? 'No run is kept.\n' : 'No run of this workspace is kept.\n')
  const strays = flags.all ? 0 : countStrays(place)
  if (strays > 0) {
    writeErr(`Damaged, and of no known workspace: ${strays} more; \`ralph runs --all\` lists them.\n`)
  }
  return 0
})

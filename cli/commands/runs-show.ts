import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS } from '../listing.ts'
import { writeOut } from '../stdout.ts'
import { lookAtTerminal } from '../terminal.ts'

const spec = {
  name: 'runs show',
  summary: 'Tells all that is known of one run: state, waves with their items, files, how to go on',
  examples: ['ralph runs show aa3bdda1', "ralph runs show aa3bdda1 --json | jq '.waves[].items'"],
  positionals: [
    { name: 'RUN', required: true, description: "A run's id, or the beginning of it or of its last part" },
  ],
  flags: { ...LISTING_FLAGS, ...GLOBAL_FLAGS },
} as const satisfies LeafSpec

/** `ralph runs show RUN` */
export const runsShow: Command = createCommand(spec, async ({ positionals, flags }) => {
  const { pickRun } = await import('../world/pick-run.ts')
  const { detail } = await import('../runs/details.ts')
  const { renderRun } = await import('../view/run-page.ts')
  const { jsonLine } = await import('../view/json.ts')
  const run = detail(pickRun({ env: process.env, cwd: process.cwd() }, positionals[0] ?? ''), process.env)
  const isJson = flags.json || flags.format === 'json'
  writeOut(isJson ? `${jsonLine(run)}\n` : renderRun(run, lookAtTerminal(flags.color, process.env).out))
  return 0
})

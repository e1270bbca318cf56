import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS } from '../listing.ts'
import { writeOut } from '../stdout.ts'

const spec = {
  name: 'status',
  summary: 'Tells how the run of this workspace stands, or how the last one ended',
  examples: ['ralph status', 'watch -n 2 ralph status', "ralph status --json | jq '.waves'"],
  positionals: [],
  flags: { ...LISTING_FLAGS, ...GLOBAL_FLAGS },
} as const satisfies LeafSpec

/** `ralph status` */
export const status: Command = createCommand(spec, async ({ flags }) => {
  const { readStatus } = await import('../run-status.ts')
  const { renderStatus } = await import('../view/status.ts')
  const { jsonLine } = await import('../view/json.ts')
  const found = readStatus(process.env, process.cwd())
  const isJson = flags.json || flags.format === 'json'
  writeOut(isJson ? `${jsonLine(found)}\n` : renderStatus(found))
  return 0
})

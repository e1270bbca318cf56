import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS, printListing } from '../listing.ts'

const spec = {
  name: 'doctor',
  summary: 'Checks what a run needs: config, hats, workspace, AI programs',
  examples: ['ralph doctor', "ralph doctor --json | jq '.[] | select(.ok == false)'"],
  positionals: [],
  flags: {
    ...LISTING_FLAGS,
    plugins: { type: 'many', value: 'DIR', description: 'A folder of further backends', group: 'Agents' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph doctor`: exit 1 if a check fails. */
export const doctor: Command = createCommand(spec, async ({ flags }) => {
  const { examine } = await import('../examination.ts')
  const checks = await examine({ ...flags, cwd: process.cwd(), env: process.env })
  printListing(
    checks,
    {
      check: (row) => row.check,
      state: (row) => (row.ok ? 'ok' : row.needed ? 'FAILED' : '–'),
      detail: (row) => row.detail,
    },
    flags,
  )
  return checks.some((row) => row.needed && !row.ok) ? 1 : 0
})

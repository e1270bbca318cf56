import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS, printListing } from '../listing.ts'

const spec = {
  name: 'presets list',
  summary: 'Lists the hat collections that -H takes by name',
  examples: ['ralph presets', 'ralph presets list --json'],
  positionals: [],
  flags: {
    all: { type: 'bool', description: 'Hidden ones too', group: 'Output' },
    ...LISTING_FLAGS,
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph presets [list]` */
export const presetsList: Command = createCommand(spec, async ({ flags }) => {
  const { findPresets } = await import('../presets.ts')
  const rows = findPresets({ cwd: process.cwd(), env: process.env, all: flags.all })
  printListing(
    rows,
    {
      name: (row) => (row.source === 'builtin' ? `builtin:${row.name}` : row.name),
      source: (row) => row.source,
      description: (row) => row.description,
    },
    flags,
  )
  return 0
})

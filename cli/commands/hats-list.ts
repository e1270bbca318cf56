import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS, printListing } from '../listing.ts'

const spec = {
  name: 'hats list',
  summary: 'Lists the hats of the config or of a collection',
  examples: ['ralph hats list', 'ralph hats list -H builtin:wave-review --json'],
  positionals: [],
  flags: { ...LISTING_FLAGS, ...GLOBAL_FLAGS },
} as const satisfies LeafSpec

/** `ralph hats [list]` */
export const hatsList: Command = createCommand(spec, async ({ flags }) => {
  const { loadHats } = await import('../hats.ts')
  const { hats } = await loadHats(flags)
  const rows = hats.map(({ id, name, description, triggers, publishes, instructions }) => ({
    id,
    name,
    description,
    subscriptions: triggers,
    publishes,
    instructions,
  }))
  printListing(
    rows,
    {
      id: (row) => row.id,
      name: (row) => row.name,
      subscriptions: (row) => row.subscriptions.join(', '),
      publishes: (row) => row.publishes.join(', '),
      description: (row) => row.description,
    },
    flags,
  )
  return 0
})

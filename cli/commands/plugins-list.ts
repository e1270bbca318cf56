import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { LISTING_FLAGS, printListing } from '../listing.ts'
import { writeErr } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'plugins list',
  summary: 'Lists the backends: the AI programs that ralph can run, and whether they are there',
  examples: ['ralph plugins', 'ralph plugins list --json --plugins ./my-backends'],
  positionals: [],
  flags: {
    ...LISTING_FLAGS,
    plugins: { type: 'many', value: 'DIR', description: 'A folder of further backends', group: 'Agents' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph plugins [list]` */
export const pluginsList: Command = createCommand(spec, async ({ flags }) => {
  const { findBackends } = await import('../configuration.ts')
  const { inspectBackends } = await import('../inspection.ts')
  const { trustKept } = await import('../trust/settle.ts')
  const place = { cwd: process.cwd(), env: process.env }
  const registry = trustKept(findBackends({ plugins: flags.plugins, ...place }), place)
  const rows = await inspectBackends(registry, process.env)
  printListing(
    rows,
    {
      name: (row) => row.name,
      source: (row) => row.source,
      program: (row) => row.program ?? '–',
      found: (row) => (row.found ? (row.version ?? 'yes') : 'no'),
      remarks: (row) => [...(row.verified ? [] : ['unverified']), ...row.remarks].join('; '),
    },
    flags,
  )
  for (const remark of registry.remarks()) writeErr(`${safeText(remark)}\n`)
  return 0
})

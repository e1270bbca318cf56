import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import type { Inspected } from '../inspection.ts'
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
  const { cautiousLook, inspectBackends } = await import('../inspection.ts')
  const { trustKept } = await import('../trust/settle.ts')
  const place = { cwd: process.cwd(), env: process.env }
  const registry = trustKept(findBackends({ plugins: flags.plugins, ...place }), place)
  const rows = (await inspectBackends(registry, cautiousLook(process.env, place.cwd))).map(rowOf)
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

/** What a machine knows of one backend. */
interface Row {
  readonly name: string
  readonly source: 'builtin' | 'file'
  readonly path: string | null
  readonly summary: string
  readonly program: string | null
  readonly found: boolean
  readonly version: string | null
  readonly verified: boolean
  /** What is wrong with it, each with what to do. */
  readonly remarks: readonly string[]
}

function rowOf(inspected: Inspected): Row {
  const { name, source, path = null } = inspected.entry
  if (!inspected.ok) {
    return { name, source, path, ...UNKNOWN, remarks: [inspected.error.message] }
  }
  const { backend, detection } = inspected.value
  return {
    name,
    source,
    path,
    summary: backend.summary,
    program: detection.program,
    found: detection.found,
    version: detection.version ?? null,
    verified: backend.traits.verified,
    remarks: detection.problems.map(({ message, hint }) => `${message} (${hint})`),
  }
}

const UNKNOWN = { summary: '', program: null, found: false, version: null, verified: false } as const

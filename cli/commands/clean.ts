import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'clean',
  summary: 'Removes what runs have left in this workspace',
  examples: ['ralph clean --dry-run', 'ralph clean --diagnostics'],
  positionals: [],
  flags: {
    'dry-run': { type: 'bool', description: 'Only list what would be removed', group: 'Clean' },
    diagnostics: { type: 'bool', description: 'Only .ralph/diagnostics', group: 'Clean' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph clean` */
export const clean: Command = createCommand(spec, async ({ flags }) => {
  const { isLocked } = await import('../world/lock.ts')
  const { LOCK_FILE } = await import('../world/workspace.ts')
  const { findDiagnostics, findLeftovers } = await import('../leftovers.ts')
  const cwd = process.cwd()
  if (isLocked(join(cwd, LOCK_FILE))) {
    throw new RalphError('locked', 'a run holds this workspace', { hint: 'end it with `ralph stop`' })
  }
  const paths = flags.diagnostics
    ? findDiagnostics(cwd)
    : findLeftovers(cwd, process.env, await scratchpads(flags))
  for (const path of paths) {
    if (!flags['dry-run']) rmSync(path, { recursive: true, force: true })
    writeOut(`${safeText(path)}\n`)
  }
  if (paths.length === 0) writeErr('There is nothing to remove.\n')
  return 0
})

/** Paths of the scratchpads that the config names. */
async function scratchpads(
  flags: Parameters<typeof import('../hats.ts').loadHats>[0],
): Promise<readonly string[]> {
  const { loadHats } = await import('../hats.ts')
  const { scratchpadPaths } = await import('../world/scratchpad.ts')
  return scratchpadPaths(await loadHats(flags))
}

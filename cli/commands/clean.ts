import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RalphError, usageError } from '../../core/errors.ts'
import { GLOBAL_FLAGS, type Parsed } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { given } from '../given.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'clean',
  summary: 'Removes what runs have left in this workspace, or only old runs',
  examples: ['ralph clean --dry-run', 'ralph clean --keep 20 --older-than 7d', 'ralph clean --diagnostics'],
  positionals: [],
  flags: {
    'dry-run': { type: 'bool', description: 'Only list what would be removed', group: 'Clean' },
    diagnostics: { type: 'bool', description: 'Only .ralph/diagnostics', group: 'Clean' },
    keep: {
      type: 'one',
      value: 'N',
      description: 'Only runs, and not the N latest',
      group: 'Old runs',
    },
    'older-than': {
      type: 'one',
      value: 'AGE',
      description: 'Only runs in which nothing has happened for so long: 7d, 12h, 30m',
      group: 'Old runs',
    },
    all: { type: 'bool', description: 'With one of these: the runs of every workspace', group: 'Old runs' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

type Flags = Parsed<typeof spec>['flags']

/** `ralph clean` */
export const clean: Command = createCommand(spec, async ({ flags }) => {
  const { parseCount } = await import('../count.ts')
  const { parseAge } = await import('../age.ts')
  const rule = given({
    keep: parseCount('keep', flags.keep),
    olderThanMs: parseAge('older-than', flags['older-than']),
  })
  if (Object.keys(rule).length > 0) return cleanRuns(rule, flags)
  if (flags.all) throw usageError('--all goes with --keep or --older-than', 'see `ralph clean --help`')
  return cleanWorkspace(flags)
})

/** Only runs, by age: other files of the workspace stay, and a run in progress is no obstacle. */
async function cleanRuns(
  rule: { readonly keep?: number; readonly olderThanMs?: number },
  flags: Flags,
): Promise<number> {
  if (flags.diagnostics) throw usageError('--diagnostics removes no runs', 'leave it out, or the other flags')
  const { listRuns } = await import('../runs/list-runs.ts')
  const { planRetention } = await import('../runs/retention.ts')
  const { removeIfFree } = await import('../runs/remove-run.ts')
  const { findAllRuns } = await import('../world/known-runs.ts')
  const { renderSpared } = await import('../view/spared.ts')
  const place = { env: process.env, cwd: process.cwd() }
  const known = new Map(findAllRuns(place).map((run) => [run.id, run]))
  const { remove, spared } = planRetention(listRuns(place, flags.all), rule, Date.now())
  for (const run of remove) {
    const one = known.get(run.run_id)
    // It may have been taken up since.
    const gone = flags['dry-run'] || one === undefined || (await removeIfFree(one, place.env))
    if (gone) writeOut(`${safeText(run.folder)}\n`)
    else writeErr(`${renderSpared(run, 'running')}\n`)
  }
  for (const { run, why } of spared) writeErr(`${renderSpared(run, why)}\n`)
  if (remove.length === 0) writeErr('There is no run to remove.\n')
  return 0
}

async function cleanWorkspace(flags: Flags): Promise<number> {
  const { isLocked, nameHolder, readHolder, takeLock } = await import('../world/lock.ts')
  const { LOCK_FILE } = await import('../world/workspace.ts')
  const { findDiagnostics, findLeftovers, runsOf } = await import('../leftovers.ts')
  const { removeIfFree } = await import('../runs/remove-run.ts')
  const { describeHolder, isHeld } = await import('../world/run-hold.ts')
  const cwd = process.cwd()
  const lock = join(cwd, LOCK_FILE)
  if (isLocked(lock)) {
    throw new RalphError('locked', `${nameHolder(readHolder(lock))} holds this workspace`, {
      hint: 'end it with `ralph stop`',
    })
  }
  const paths = flags.diagnostics
    ? findDiagnostics(cwd)
    : findLeftovers(cwd, process.env, await scratchpads(flags))
  const isForGood = !flags['dry-run'] && paths.length > 0
  // No loop begins or goes on here meanwhile; each run is held while it is removed.
  using _lock =
    isForGood && existsSync(dirname(lock))
      ? await takeLock(lock, describeHolder({ started: new Date(), workspace: cwd, prompt: '' }), false)
      : null
  const kept = new Set<string>()
  for (const run of flags.diagnostics ? [] : runsOf(cwd, process.env)) {
    const isFree = isForGood ? await removeIfFree(run, process.env) : !isHeld(run.dir)
    if (isFree) continue
    kept.add(run.dir)
    writeErr(`kept ${safeText(run.id)}: it is in progress\n`)
  }
  for (const path of paths.filter((one) => !kept.has(one))) {
    if (isForGood) rmSync(path, { recursive: true, force: true })
    writeOut(`${safeText(path)}\n`)
  }
  if (paths.length === 0) writeErr('There is nothing to remove.\n')
  return 0
}

/** Paths of the scratchpads that the config names. */
async function scratchpads(
  flags: Parameters<typeof import('../hats.ts').loadHats>[0],
): Promise<readonly string[]> {
  const { loadHats } = await import('../hats.ts')
  const { scratchpadPaths } = await import('../world/scratchpad.ts')
  return scratchpadPaths(await loadHats(flags))
}

import { existsSync, truncateSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { findWorkspace, RALPH_DIR, readMarker } from '../../core/events-file/target.ts'
import { matches } from '../../core/topic.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { parseCount } from '../count.ts'
import { LISTING_FLAGS, printListing } from '../listing.ts'
import { writeErr } from '../stdout.ts'

const spec = {
  name: 'events',
  summary: 'Lists the events of the current run',
  examples: ['ralph events --last 20', "ralph events --topic 'review.*' --json | jq -r '.[].payload'"],
  positionals: [],
  flags: {
    last: {
      type: 'one',
      value: 'N',
      description: 'Only the last N that the other flags leave',
      group: 'Events',
    },
    topic: {
      type: 'one',
      value: 'T',
      description: 'Only this topic, or those that match a pattern',
      group: 'Events',
    },
    iteration: { type: 'one', value: 'N', description: 'Only those of one iteration', group: 'Events' },
    file: { type: 'one', value: 'F', description: 'Of another events file', group: 'Events' },
    clear: { type: 'bool', description: 'Empty the file instead', group: 'Events' },
    ...LISTING_FLAGS,
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph events` */
export const events: Command = createCommand(spec, async ({ flags }) => {
  const last = parseCount('last', flags.last, 1)
  const iteration = parseCount('iteration', flags.iteration)
  const { env } = process
  const workspace = findWorkspace({ cwd: process.cwd(), env })
  const path =
    flags.file === undefined
      ? (readMarker(workspace) ?? join(workspace, RALPH_DIR, 'events.jsonl'))
      : resolve(flags.file)
  if (flags.clear) {
    await clear(workspace, path)
    return 0
  }

  const { readHistory } = await import('../history.ts')
  const { rows, badLines } = readHistory(path, { workspace, env })
  const chosen = rows
    .filter((row) => flags.topic === undefined || matches(flags.topic, row.topic))
    .filter((row) => iteration === undefined || row.iteration === iteration)
  printListing(
    last === undefined ? chosen : chosen.slice(-last),
    {
      time: (row) => row.ts?.slice(0, 19) ?? '',
      iteration: (row) => String(row.iteration ?? ''),
      hat: (row) => row.hat ?? '',
      topic: (row) => row.topic,
      wave: (row) => (row.wave_id === undefined ? '' : `${row.wave_id} [${row.wave_index ?? ''}]`),
      payload: (row) => [...row.payload.slice(0, 400)].slice(0, 100).join(''),
    },
    flags,
  )
  if (badLines.length > 0) writeErr(`warning: lines of ${path} that are no records: ${badLines.join(', ')}\n`)
  return 0
})

async function clear(workspace: string, path: string): Promise<void> {
  const { isLocked } = await import('../world/lock.ts')
  const { LOCK_FILE } = await import('../world/workspace.ts')
  if (isLocked(join(workspace, LOCK_FILE))) {
    throw new RalphError('locked', 'a run holds this workspace: its events stay', {
      hint: 'end it with `ralph stop`',
    })
  }
  if (!existsSync(path)) return
  truncateSync(path)
  writeErr(`Cleared ${relative(workspace, path)}\n`)
}

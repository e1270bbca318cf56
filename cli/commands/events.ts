import { existsSync, truncateSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { RalphError, usageError } from '../../core/errors.ts'
import { findWorkspace, RALPH_DIR, readMarker } from '../../core/events-file/target.ts'
import { matches } from '../../core/topic.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { parseCount } from '../count.ts'
import type { HistoryRow } from '../history.ts'
import { LISTING_FLAGS, listing } from '../listing.ts'
import { writeErr } from '../stdout.ts'
import { formatStamp } from '../view/duration.ts'

const spec = {
  name: 'events',
  summary: 'Lists the events of the current run',
  examples: [
    'ralph events --last 20',
    'ralph events --follow',
    "ralph events --topic 'review.*' --json | jq -r '.[].payload'",
  ],
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
    follow: {
      type: 'bool',
      short: 'f',
      description: 'Stay, and show further ones as they come, until Ctrl-C; JSON is one object a line',
      group: 'Events',
    },
    file: { type: 'one', value: 'F', description: 'Of another events file', group: 'Events' },
    clear: { type: 'bool', description: 'Empty the file instead', group: 'Events' },
    ...LISTING_FLAGS,
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

const COLUMNS = {
  time: (row: HistoryRow) => (row.ts === null ? '' : formatStamp(row.ts)),
  iteration: (row: HistoryRow) => String(row.iteration ?? ''),
  hat: (row: HistoryRow) => row.hat ?? '',
  topic: (row: HistoryRow) => row.topic,
  wave: (row: HistoryRow) => (row.wave_id === undefined ? '' : `${row.wave_id} [${row.wave_index ?? ''}]`),
  payload: (row: HistoryRow) => [...row.payload.slice(0, 400)].slice(0, 100).join(''),
}

/** Of all columns but the payload, where rows are still to come. */
const USUAL_WIDTHS = [19, 9, 12, 20, 30]

/** `ralph events` */
export const events: Command = createCommand(spec, async ({ flags }) => {
  const last = parseCount('last', flags.last, 1)
  const iteration = parseCount('iteration', flags.iteration)
  if (flags.clear && flags.follow) throw usageError('--clear and --follow cannot go together')
  const { env } = process
  const workspace = findWorkspace({ cwd: process.cwd(), env })
  const { file } = flags
  const path = (): string =>
    file === undefined ? (readMarker(workspace) ?? join(workspace, RALPH_DIR, 'events.jsonl')) : resolve(file)
  if (flags.clear) {
    await clear(workspace, path())
    return 0
  }

  const isWanted = (row: HistoryRow): boolean =>
    (flags.topic === undefined || matches(flags.topic, row.topic)) &&
    (iteration === undefined || row.iteration === iteration)
  const warn = (badLines: readonly number[]): void => {
    if (badLines.length > 0)
      writeErr(`warning: lines of ${path()} that are no records: ${badLines.join(', ')}\n`)
  }
  const list = listing(COLUMNS, flags, { preview: true, least: flags.follow ? USUAL_WIDTHS : [] })
  const place = { workspace, env }

  if (flags.follow) {
    const { followHistory } = await import('../follow-history.ts')
    let begun = false
    return followHistory({
      path,
      place,
      show({ rows, badLines }) {
        const chosen = rows.filter(isWanted)
        const shown = begun || last === undefined ? chosen : chosen.slice(-last)
        begun = true
        warn(badLines)
        return list.add(shown)
      },
    })
  }

  const { readHistory } = await import('../history.ts')
  const { rows, badLines } = readHistory(path(), place)
  const chosen = rows.filter(isWanted)
  list.print(last === undefined ? chosen : chosen.slice(-last))
  warn(badLines)
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

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Stray } from '../../core/agent/end.ts'
import { endProcesses, findStraysNow } from '../../core/agent/strays.ts'
import { messageOf } from '../../core/errors.ts'
import { appendText } from '../../core/events-file/append.ts'
import { EventsReader } from '../../core/events-file/reader.ts'
import { formatTime } from '../../core/events-file/record.ts'
import { rulesFile, workerFile } from '../../core/events-file/rules.ts'
import type { State } from '../../core/run/state.ts'
import { mergeLines, missingLines } from '../../core/wave/merge.ts'
import type { Wave } from '../../core/wave/wave.ts'
import type { Context } from './context.ts'
import { compareGit, type GitState, lookAtGit } from './git.ts'
import { type Removal, removeFile } from './removal.ts'

/** What the end of a wave needs beside the run's own things. */
export interface MergeOf {
  readonly wave: Wave
  /** How the workspace looked before it; null: it is not compared. */
  readonly before: GitState | null
  readonly endStrays: () => Promise<void>
  readonly removal: Removal
}

/** Workers whose files go before anybody is told of the merge, as many as `features.max_wave_items` lets a wave have by default. */
const AT_ONCE = 100

/**
 * Ends a wave on disk: one append to the main events file, forced to the disk; then the workers' files and the processes
 * that they left behind go (`endStrays`). Nobody waits for the files of a large wave. The answer is a fact, `wave.merged`
 * or `io.failed`.
 */
export async function mergeWave(context: Context, of: MergeOf): Promise<void> {
  const { wave, before } = of
  const { run, mailbox, topology, control, blobs, settings } = context
  try {
    // Takes a while, and needs nothing of what follows.
    const look = before === null ? null : lookAtGit(run.workspace)
    look?.catch(() => {})
    const lines = mergeLines({ wave, topology, control, read: blobs.read, now: formatTime(new Date()) })
    const missing = context.continued ? withoutMerged(run.eventsFile, wave.id, lines) : lines
    if (missing.length > 0) appendText(run.eventsFile, missing.join(''), { sync: true })
    const files = filesOf(context, wave)
    if (wave.works.length > AT_ONCE) of.removal.add(files)
    else for (const path of files) removeFile(path)
    const [after] = await Promise.all([
      look,
      settings.features.strays === 'wave' ? of.endStrays() : undefined,
    ])
    mailbox.push({ type: 'wave.merged', wave: wave.id, change: compareGit(before, after) })
  } catch (error) {
    mailbox.push({
      type: 'io.failed',
      message: `the results of wave ${wave.id} cannot be merged into ${run.eventsFile}: ${messageOf(error)}`,
    })
  }
}

/** Leaves out lines that an earlier invocation has merged before it was cut. */
function withoutMerged(eventsFile: string, wave: string, lines: readonly string[]): readonly string[] {
  using reader = new EventsReader(eventsFile)
  return missingLines(lines, wave, reader.read().events)
}

/** What workers have in the folder of the events file. */
function* filesOf({ eventsDir }: Context, wave: Wave): Generator<string> {
  for (const { index } of wave.works) {
    const file = workerFile(eventsDir, wave.id, index)
    yield file
    const rules = rulesFile(file)
    if (rules !== null) yield rules
  }
}

/** Removes what workers of merged waves still have there: an earlier invocation may have been cut before it had. */
export function removeMergedFiles(eventsDir: string, { waves, knownWaves }: State): void {
  for (const name of readdirSync(eventsDir)) {
    const wave = /^wave-(.+)-\d+\.(?:jsonl|rules\.json)$/.exec(name)?.[1]
    if (wave !== undefined && knownWaves.has(wave) && !waves.has(wave)) removeFile(join(eventsDir, name))
  }
}

/** Ends what agents left behind: what carries their markers, and those that were found without one. */
export async function endStrays(markers: readonly string[], found: readonly Stray[] = []): Promise<void> {
  const known = found.flatMap(({ pid, startTime }) => (startTime ? [{ pid, startTime }] : []))
  if (markers.length > 0) await endProcesses([...findStraysNow(markers), ...known])
}

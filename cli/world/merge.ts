import { rmSync } from 'node:fs'
import type { Stray } from '../../core/agent/end.ts'
import { endProcesses, findStrays } from '../../core/agent/strays.ts'
import { messageOf } from '../../core/errors.ts'
import { appendText } from '../../core/events-file/append.ts'
import { EventsReader } from '../../core/events-file/reader.ts'
import { formatTime } from '../../core/events-file/record.ts'
import { rulesFile, workerFile } from '../../core/events-file/rules.ts'
import { mergeLines, missingLines } from '../../core/wave/merge.ts'
import type { Wave } from '../../core/wave/wave.ts'
import type { Context } from './context.ts'
import { compareGit, type GitState, lookAtGit } from './git.ts'

/**
 * Ends a wave on disk: one append to the main events file, forced to the disk; then the workers' files and the processes
 * that they left behind go (`endStrays`). The answer is a fact, `wave.merged` or `io.failed`.
 */
export async function mergeWave(
  context: Context,
  of: { wave: Wave; before: GitState | null; endStrays: () => Promise<void> },
): Promise<void> {
  const { wave, before } = of
  const { run, mailbox, topology, control, blobs, settings } = context
  try {
    const lines = mergeLines({ wave, topology, control, read: blobs.read, now: formatTime(new Date()) })
    const missing = context.continued ? withoutMerged(run.eventsFile, wave.id, lines) : lines
    if (missing.length > 0) appendText(run.eventsFile, missing.join(''), { sync: true })
    for (const work of wave.works) removeWorkerFiles(context, wave, work.index)
    const [after] = await Promise.all([
      before === null ? null : lookAtGit(run.workspace),
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

/** Removes what a worker had in the folder of the events file. */
export function removeWorkerFiles(
  { eventsDir }: Pick<Context, 'eventsDir'>,
  wave: Wave,
  index: number,
): void {
  const file = workerFile(eventsDir, wave.id, index)
  rmSync(file, { force: true, recursive: true })
  const rules = rulesFile(file)
  if (rules !== null) rmSync(rules, { force: true, recursive: true })
}

/** Ends what agents left behind: what carries their markers, and those that were found without one. */
export async function endStrays(markers: readonly string[], found: readonly Stray[] = []): Promise<void> {
  const known = found.flatMap(({ pid, startTime }) => (startTime ? [{ pid, startTime }] : []))
  if (markers.length > 0) await endProcesses([...(await findStrays(markers)), ...known])
}

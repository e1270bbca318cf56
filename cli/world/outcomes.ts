import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatTime } from '../../core/events-file/record.ts'
import { itemFolder, logPaths, resultPath } from '../../core/journal/paths.ts'
import { prepareResult } from '../../core/prompt/aggregate.ts'
import { PREVIEW, type ReusedFrom, type WaveWorkerDone } from '../../core/run-event.ts'
import { keyedItem } from '../../core/wave/adopt.ts'
import { places } from '../../core/wave/gate.ts'
import { digestContent } from '../../core/wave/item-key.ts'
import { prepareLines } from '../../core/wave/merge.ts'
import type { Outcome, Wave, Work } from '../../core/wave/wave.ts'
import type { Context } from './context.ts'
import { copyPrivate, writePrivate } from './write-private.ts'

/** Puts the outcomes of settled items on disk, whole, and only then tells of them. Throws the system's error. */
export function fileOutcomes(context: Context, wave: Wave, works: readonly Work[]): void {
  for (const work of works) {
    const { outcome } = work
    if (outcome === null) continue
    keepOutcome(context, wave, work, outcome)
    if (context.hasLoop) prepareMerge(context, wave, work)
    const done = workerDone(context, wave, work, outcome)
    context.report(done)
    const last = outcome.events.at(-1)
    const result = outcome.class === 'result' && last !== undefined ? last.payload : null
    context.onSettled?.({ index: work.index, payload: work.payload, result, done })
  }
}

/** What the end of the wave would otherwise wait for. */
function prepareMerge({ blobs }: Context, wave: Wave, work: Work): void {
  prepareLines({ wave, read: blobs.read, now: formatTime(new Date()) }, work)
  prepareResult(wave, work, blobs.read)
}

/** Tells of items that a stop or a spent budget has left without an outcome. */
export function tellCancelled(context: Context, wave: Wave): void {
  for (const work of wave.works) {
    if (work.status === 'settled') continue
    const outcome = work.outcome ?? CANCELLED
    const done = workerDone(context, wave, work, outcome)
    context.onSettled?.({ index: work.index, payload: work.payload, result: null, done })
  }
}

const CANCELLED: Outcome = {
  status: 'cancelled',
  class: 'withdrawn',
  cause: { kind: 'never-started', why: 'halted' },
  reason: 'not started',
  events: [],
  fromFinalMessage: false,
  durationMs: 0,
  remarks: [],
}

function keepOutcome({ run }: Context, wave: Wave, work: Work, outcome: Outcome): void {
  const folder = itemFolder(run.dir, wave.id, work.index)
  outcome.events.forEach((event, i) => {
    const path = resultPath(run.dir, wave.id, work.index, i + 1)
    if ('inline' in event.payload) writePrivate(path, event.payload.inline)
    else copyPrivate(event.payload.path, path)
  })
  const record = {
    wave: wave.id,
    index: work.index,
    hat: work.hat,
    topic: work.topic,
    status: outcome.status,
    cause: outcome.cause,
    reason: outcome.reason,
    duration_ms: outcome.durationMs,
    ...(outcome.timeoutSeconds === undefined ? {} : { timeout_seconds: outcome.timeoutSeconds }),
    attempts: work.attempts,
    ...(outcome.fromFinalMessage ? { from: 'final_message' } : {}),
    remarks: outcome.remarks,
    results: outcome.events.map((event, i) => ({ topic: event.topic, file: `result-${i + 1}.txt` })),
    ...costs(work),
    ...reused(work),
    ...asked(wave, work),
  }
  // In one step, and last: where it is, all of the outcome is, however full the disk was.
  const path = join(folder, 'outcome.json')
  writePrivate(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`)
  renameSync(`${path}.new`, path)
}

function workerDone(context: Context, wave: Wave, work: Work, outcome: Outcome): WaveWorkerDone {
  return {
    type: 'wave_worker_done',
    index: work.index,
    total: places(wave),
    duration_ms: outcome.durationMs,
    success: outcome.class === 'result',
    payload_preview: context.blobs.read(work.payload).slice(0, PREVIEW),
    wave_id: wave.id,
    hat: work.hat,
    status: outcome.status,
    reason: outcome.reason,
    attempts: work.attempts,
    ...costs(work),
    ...reused(work),
    log: outcome.class === 'failure' ? logOf(context, wave, work) : null,
  }
}

function costs(
  work: Work,
): Pick<WaveWorkerDone, 'cost_usd' | 'cost_source' | 'input_tokens' | 'output_tokens'> {
  const { cost, usage } = work
  return {
    cost_usd: 'usd' in cost ? cost.usd : null,
    cost_source: 'usd' in cost ? cost.source : null,
    input_tokens: usage?.input ?? null,
    output_tokens: usage?.output ?? null,
  }
}

/** What the item asked for and of whom, in short: so that its result is known again where nothing else is left of its wave. */
function asked(wave: Wave, work: Work): { readonly asked?: object } {
  const item = keyedItem(wave, work)
  if (item === null) return {}
  const { instructions, player, payload } = item
  return { asked: { instructions, ...player, payload: digestContent(payload) } }
}

/** Whose outcome it is, where an earlier wave has paid for it. */
function reused({ adopted }: Work): { readonly reused?: ReusedFrom } {
  if (adopted === null) return {}
  const { run, wave, index } = adopted.from
  return { reused: { run_id: run, wave_id: wave, index } }
}

/** The worker's stderr, or its stdout if that is empty; null for one that never started or said nothing. */
function logOf({ run }: Context, wave: Wave, work: Work): string | null {
  const from = work.adopted?.from.run === run.id ? work.adopted.from : { wave: wave.id, index: work.index }
  const { stderr, stdout } = logPaths(itemFolder(run.dir, from.wave, from.index), Math.max(1, work.attempts))
  return [stderr, stdout].find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) ?? null
}

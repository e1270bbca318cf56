import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { itemFolder, logPaths, resultPath } from '../../core/journal/paths.ts'
import type { WaveWorkerDone } from '../../core/run-event.ts'
import { places } from '../../core/wave/gate.ts'
import type { Outcome, Wave, Work } from '../../core/wave/wave.ts'
import type { Context } from './context.ts'

const PREVIEW = 200

/** Puts the outcomes of settled items on disk, whole, and only then tells of them. Throws the system's error. */
export function fileOutcomes(context: Context, wave: Wave, works: readonly Work[]): void {
  for (const work of works) {
    const { outcome } = work
    if (outcome === null) continue
    keepOutcome(context, wave, work, outcome)
    const done = workerDone(context, wave, work, outcome)
    context.report(done)
    const last = outcome.events.at(-1)
    const result = outcome.class === 'result' && last !== undefined ? last.payload : null
    context.onSettled?.({ index: work.index, payload: work.payload, result, done })
  }
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

function keepOutcome({ run, blobs }: Context, wave: Wave, work: Work, outcome: Outcome): void {
  const folder = itemFolder(run.dir, wave.id, work.index)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  outcome.events.forEach((event, i) => {
    writeFileSync(resultPath(run.dir, wave.id, work.index, i + 1), blobs.read(event.payload), { mode: 0o600 })
  })
  const record = {
    wave: wave.id,
    index: work.index,
    hat: work.hat,
    topic: work.topic,
    status: outcome.status,
    reason: outcome.reason,
    duration_ms: outcome.durationMs,
    ...(outcome.timeoutSeconds === undefined ? {} : { timeout_seconds: outcome.timeoutSeconds }),
    attempts: work.attempts,
    ...(outcome.fromFinalMessage ? { from: 'final_message' } : {}),
    remarks: outcome.remarks,
    results: outcome.events.map((event, i) => ({ topic: event.topic, file: `result-${i + 1}.txt` })),
    ...costs(work),
  }
  writeFileSync(join(folder, 'outcome.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
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

/** The worker's stderr, or its stdout if that is empty; null for one that never started or said nothing. */
function logOf({ run }: Context, wave: Wave, work: Work): string | null {
  const { stderr, stdout } = logPaths(itemFolder(run.dir, wave.id, work.index), Math.max(1, work.attempts))
  return [stderr, stdout].find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) ?? null
}

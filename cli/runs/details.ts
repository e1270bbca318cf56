import { existsSync } from 'node:fs'
import { itemFolder } from '../../core/journal/paths.ts'
import type { Wave, Work } from '../../core/wave/wave.ts'
import { type RunStatus, statusOf, type WaveStatus, waveStatus } from '../run-status.ts'
import type { KnownRun } from '../world/known-runs.ts'
import { isOpen, type RunRecord, readRun } from './read-run.ts'
import { type RunSummary, summarize } from './summary.ts'

/** All that is known of one run: what `status` and the list tell, its waves with their items, its files, and how to go on. */
export interface RunDetails extends RunSummary {
  /** As `ralph status` tells it; null for a journal that cannot be read. */
  readonly status: RunStatus | null
  readonly waves: readonly WaveDetails[]
  /** Null where there is none, or where it is there no more. */
  readonly events_file: string | null
  /** Command lines, the likeliest first. */
  readonly next: readonly NextStep[]
}

export interface WaveDetails extends WaveStatus {
  /** Merged, or, for a wave from the shell, all items settled and handed on. */
  readonly finished: boolean
  readonly items: readonly ItemDetails[]
}

export interface ItemDetails {
  readonly index: number
  readonly hat: string
  /** How it ended; before that `queued`, `running` or `waiting`, and `cut` if its run ended before it did. */
  readonly status: string
  readonly reason: string | null
  readonly attempts: number
  readonly duration_ms: number | null
  readonly cost_usd: number | null
  readonly cost_source: 'reported' | 'derived' | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** Prompt, output, results; null for one that never started. */
  readonly folder: string | null
}

export interface NextStep {
  readonly command: string
  /** What it does, as in "finishes it". */
  readonly does: string
}

/** Looks at one run. A damaged journal makes for a short page, not for an error. */
export function detail(run: KnownRun, env: Readonly<Record<string, string | undefined>>): RunDetails {
  const summary = summarize(run, env)
  const record = summary.state === 'damaged' || run.problem !== null ? null : readRun(run.dir)
  const status = record === null ? null : statusOf(record)
  const eventsFile = record?.state.run.eventsFile ?? ''
  return {
    ...summary,
    status,
    waves: record === null ? [] : record.waves.map((wave) => waveDetails(record, wave)),
    events_file: eventsFile !== '' && existsSync(eventsFile) ? eventsFile : null,
    next: nextSteps(summary),
  }
}

function waveDetails(record: RunRecord, wave: Wave): WaveDetails {
  return {
    ...waveStatus(wave),
    finished: !isOpen(record, wave),
    items: wave.works.map((work) => itemDetails(record, wave, work)),
  }
}

function itemDetails({ dir, isRunning }: RunRecord, wave: Wave, work: Work): ItemDetails {
  const { outcome, cost, usage } = work
  const folder = itemFolder(dir, wave.id, work.index)
  const underWay = !isRunning && work.status === 'running' ? 'cut' : work.status
  return {
    index: work.index,
    hat: work.hat,
    status: outcome?.status ?? underWay,
    reason: outcome?.reason ?? null,
    attempts: work.attempts,
    duration_ms: outcome?.durationMs ?? null,
    cost_usd: 'usd' in cost ? cost.usd : null,
    cost_source: 'usd' in cost ? cost.source : null,
    input_tokens: usage?.input ?? null,
    output_tokens: usage?.output ?? null,
    folder: existsSync(folder) ? folder : null,
  }
}

/** What a person can do with the run now. */
export function nextSteps(run: RunSummary): readonly NextStep[] {
  const { run_id: id, open_waves: open } = run
  const remove = { command: `ralph runs rm ${id}`, does: 'removes it' }
  switch (run.state) {
    case 'running':
      return run.kind === 'wave' ? [] : [{ command: 'ralph stop', does: 'asks it to end' }]
    case 'damaged':
      return [remove]
    case 'cut':
    case 'ended':
      break
  }
  const results =
    run.kind === 'wave' || open.length === 0 ? [] : open.map(({ wave_id }) => readResults(wave_id))
  if (run.kind === 'wave') {
    const again = {
      command: `ralph wave run --resume ${id}`,
      does: 'with the same items runs what has no result',
    }
    return open.length > 0 || run.state === 'cut' ? [again, remove] : [remove]
  }
  if (run.stop_reason === 'completed' || run.stop_reason === 'cancelled') {
    return [
      { command: `ralph runs resume ${id} -p '…'`, does: 'goes on with a new objective' },
      ...results,
      remove,
    ]
  }
  return [{ command: `ralph runs resume ${id}`, does: 'goes on with it' }, ...results, remove]
}

function readResults(waveId: string): NextStep {
  return { command: `ralph wave results ${waveId}`, does: 'prints what is settled' }
}

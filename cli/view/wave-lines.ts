import type { WaveCompleted, WaveStarted, WaveWorkerDone, WorkspaceChange } from '../../core/run-event.ts'
import type { Palette } from './colour.ts'
import { formatDuration } from './duration.ts'
import { plural, rule } from './rule.ts'
import { oneLine } from './safe-text.ts'

/** Columns of the item's payload in a worker's line. */
export const PREVIEW_COLUMNS = 60

/** `── WAVE: Reviewer | 3 workers | timeout 600s ──…`; `3 workers, 2 reused` where outcomes of an earlier wave are. */
export function renderWaveStart(wave: WaveStarted, columns: number): string {
  const hats = oneLine(wave.hat_name, 120)
  const reused = wave.reused === undefined ? '' : `, ${wave.reused} reused`
  return rule(
    `WAVE: ${hats} | ${wave.worker_count} workers${reused} | timeout ${wave.timeout_secs}s`,
    columns,
  )
}

/**
 * `  ✓ Worker 1/3 done (12s) — preview`, with `[partial]` or `[<status>]` and the log's path where they belong, and with
 * `[reused]` where the outcome is that of an earlier wave.
 */
export function renderWorkerDone(done: WaveWorkerDone, paint: Palette): string {
  const worker = `Worker ${done.index + 1}/${done.total}`
  const time = `(${formatDuration(done.duration_ms)})`
  const preview = oneLine(done.payload_preview, PREVIEW_COLUMNS)
  const reused = done.reused === undefined ? '' : paint.dim(' [reused]')
  if (done.success) {
    const mark = done.status === 'partial' ? ' [partial]' : ''
    return `  ${paint.green('✓')} ${worker} done ${time}${paint.yellow(mark)}${reused} — ${preview}`
  }
  const path = done.log === null ? '' : ` — ${oneLine(done.log, 4096)}`
  return `  ${paint.red('✗')} ${worker} failed ${time} ${paint.red(`[${done.status}]`)}${reused} — ${preview}${path}`
}

/** `  ↻ Worker 1/3 again in 10s [overload] attempt 2/3 — preview` */
export function renderWorkerAgain(
  again: {
    readonly index: number
    readonly total: number
    readonly inMs: number
    readonly class: string
    readonly attempt: number
    readonly attempts: number
    readonly preview: string
  },
  paint: Palette,
): string {
  const worker = `Worker ${again.index + 1}/${again.total}`
  const when = formatDuration(again.inMs)
  const preview = oneLine(again.preview, PREVIEW_COLUMNS)
  return `  ${paint.yellow('↻')} ${worker} again in ${when} [${again.class}] attempt ${again.attempt}/${again.attempts} — ${preview}`
}

/** `  ↻ Worker 1/3 asked once more for its result — preview` */
export function renderWorkerNudged(
  nudged: { readonly index: number; readonly total: number; readonly preview: string },
  paint: Palette,
): string {
  const preview = oneLine(nudged.preview, PREVIEW_COLUMNS)
  return `  ${paint.yellow('↻')} Worker ${nudged.index + 1}/${nudged.total} asked once more for its result — ${preview}`
}

/** `── Wave complete: 2 succeeded, 1 failed (14s) ──…`, and what follows it, as lines. */
export function renderWaveEnd(wave: WaveCompleted, columns: number): readonly string[] {
  const counts = `${wave.succeeded} succeeded, ${wave.failed} failed`
  const lines = [rule(`Wave complete: ${counts} (${formatDuration(wave.duration_ms)})`, columns)]
  if (wave.never_started > 0) {
    lines.push(
      `  ${plural(wave.never_started, 'item')} never started: raise aggregate.timeout, or concurrency so that more run at once`,
    )
  }
  if (wave.workspace_changed) lines.push(`  ${renderWorkspaceChange(wave.workspace_changed)}`)
  return lines
}

function renderWorkspaceChange(change: WorkspaceChange): string {
  const what = [
    ...(change.head ? ['HEAD moved'] : []),
    ...(change.stash ? ['the stash list changed'] : []),
    ...(change.files > 0 ? [`${plural(change.files, 'file')} changed`] : []),
  ]
  const paths = change.paths.length === 0 ? '' : ` (${oneLine(change.paths.join(', '), PREVIEW_COLUMNS)})`
  return `the workspace during the wave: ${what.join(', ')}${paths}`
}

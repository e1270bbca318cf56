import type { RunDetails, WaveDetails } from '../runs/details.ts'
import type { Palette } from './colour.ts'
import { formatDuration, formatStamp } from './duration.ts'
import { formatBytes, runCost } from './run-state.ts'
import { type Row, renderRows, statusRows } from './status.ts'
import { renderTable } from './table.ts'

/** The page of one run: what `status` says, where its files lie, how to go on, and its waves with their items. */
export function renderRun(run: RunDetails, paint: Palette): string {
  const told: readonly Row[] =
    run.status === null
      ? [
          ['run', run.run_id],
          ['state', run.state],
        ]
      : statusRows(run.status)
  const rows: readonly Row[] = [
    ...told,
    ...(run.problem === null ? [] : [['problem', run.problem] as const]),
    ...(run.started_at === null ? [] : [['started', stamp(run.started_at)] as const]),
    ['last sign', stamp(run.last_at)],
    ...(run.objective === null ? [] : [['objective', run.objective] as const]),
    ['workspace', run.workspace ?? 'unknown'],
    ['folder', `${run.folder} (${formatBytes(run.bytes)})`],
    ...(run.events_file === null ? [] : [['events', run.events_file] as const]),
    ...run.next.map(({ command, does }) => ['next', `\`${command}\` ${does}`] as const),
  ]
  return [renderRows(rows), ...run.waves.map((wave) => renderWave(wave, paint))].join('\n')
}

function renderWave(wave: WaveDetails, paint: Palette): string {
  const items = wave.items.map((item) => [
    String(item.index),
    item.hat === '' ? '–' : item.hat,
    item.status,
    String(item.attempts),
    item.duration_ms === null ? '–' : formatDuration(item.duration_ms),
    item.attempts === 0 ? '–' : runCost({ ...item, agents_without_cost: 0 }),
    item.reason ?? '',
  ])
  const state = wave.finished ? 'finished' : 'open'
  const head = paint.bold(`wave ${wave.wave_id}: ${wave.settled} of ${wave.total} settled, ${state}`)
  return `${head}\n${renderTable(['item', 'hat', 'status', 'attempts', 'took', 'cost', 'reason'], items, paint)}`
}

const stamp = (at: number): string => formatStamp(new Date(at).toISOString())

import type { RunStatus, WaveStatus } from '../run-status.ts'
import { formatDuration } from './duration.ts'
import { runCost, runState } from './run-state.ts'
import { safeText } from './safe-text.ts'

/** A name and what is told under it. */
export type Row = readonly [name: string, text: string]

/** One line a fact, names in front. */
export function renderStatus(status: RunStatus): string {
  return renderRows(statusRows(status))
}

export function statusRows(status: RunStatus): readonly Row[] {
  const { cost_usd: cost } = status
  const told = status.state === 'ended' ? `ended: ${runState(status)}` : runState(status)
  const isLoop = status.kind === 'loop'
  return [
    ['run', status.run_id],
    ['state', status.pid === null ? told : `${told} (process ${status.pid}, ${status.phase})`],
    ...(isLoop ? [['iteration', String(status.iteration)] as const] : []),
    ...(isLoop ? [['hats', status.hats.length === 0 ? 'ralph' : status.hats.join(', ')] as const] : []),
    ...status.waves.map((wave) => ['wave', renderWave(wave, status)] as const),
    ['elapsed', formatDuration(status.elapsed_ms)],
    [
      'cost',
      cost === null ? 'unknown' : `${runCost({ ...status, cost_source: null })} (${status.cost_source})`,
    ],
    ['tokens', `${status.input_tokens} in, ${status.output_tokens} out`],
    ['agents', String(status.agents_started)],
  ]
}

export function renderRows(rows: readonly Row[]): string {
  return `${rows.map(([name, text]) => `${name.padEnd(10)} ${safeText(text)}`).join('\n')}\n`
}

/** A wave of a run that is over is open: there is something to go on with. */
function renderWave(wave: WaveStatus, { state, kind, run_id }: RunStatus): string {
  const again = kind === 'loop' ? 'ralph run --continue' : `ralph wave run --resume ${run_id}`
  const now =
    state === 'running'
      ? `${wave.running} running, ${wave.waiting} waiting`
      : `open (\`${again}\` finishes it)`
  return `${wave.wave_id}: ${wave.settled} of ${wave.total} settled, ${now}`
}

import type { RunStatus } from '../run-status.ts'
import { formatDuration } from './duration.ts'
import { safeText } from './safe-text.ts'

/** One line a fact, names in front. */
export function renderStatus(status: RunStatus): string {
  const { cost_usd: cost } = status
  const state = status.stop_reason === null ? status.state : `${status.state}: ${status.stop_reason}`
  const rows: readonly (readonly [string, string])[] = [
    ['run', status.run_id],
    ['state', status.pid === null ? state : `${state} (process ${status.pid}, ${status.phase})`],
    ['iteration', String(status.iteration)],
    ['hats', status.hats.length === 0 ? 'ralph' : status.hats.join(', ')],
    ...status.waves.map((wave) => ['wave', renderWave(wave, status)] as const),
    ['elapsed', formatDuration(status.elapsed_ms)],
    ['cost', cost === null ? 'unknown' : `$${cost.toFixed(2)} (${status.cost_source})`],
    ['tokens', `${status.input_tokens} in, ${status.output_tokens} out`],
    ['agents', String(status.agents_started)],
  ]
  return `${rows.map(([name, text]) => `${name.padEnd(10)} ${safeText(text)}`).join('\n')}\n`
}

/** A wave of a run that is over is open: there is something to go on with. */
function renderWave(wave: RunStatus['waves'][number], { state }: RunStatus): string {
  const now =
    state === 'running'
      ? `${wave.running} running, ${wave.waiting} waiting`
      : 'open (`ralph run --continue` finishes it)'
  return `${wave.wave_id}: ${wave.settled} of ${wave.total} settled, ${now}`
}

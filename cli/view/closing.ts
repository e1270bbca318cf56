import type { LoopTerminated } from '../../core/run-event.ts'
import { formatDuration } from './duration.ts'
import { plural } from './rule.ts'
import { formatCost } from './spending.ts'

/** The last line of a run: reason, exit code, what it took; for a wave that is still open what is there and what to do. */
export function renderClosing(end: LoopTerminated): string {
  const facts = [
    `Run ended: ${end.reason}`,
    `exit ${end.exit_code}`,
    plural(end.total_iterations, 'iteration'),
    formatDuration(end.duration_ms),
    `cost ${formatCost(end.total_cost_usd, end.cost_source, end.agents_without_cost)}`,
  ]
  return `── ${facts.join(' | ')} ──${nextSteps(end)}`
}

function nextSteps(end: LoopTerminated): string {
  if (end.open_waves.length > 0) {
    const waves = end.open_waves.map(
      (wave) =>
        `wave ${wave.wave_id} is open, ${wave.settled} of ${plural(wave.total, 'result')} settled (\`ralph wave results ${wave.wave_id}\`)`,
    )
    const first = end.reason === 'io_error' ? 'once that is repaired, ' : ''
    return ` ${waves.join('; ')}; ${first}\`ralph run --continue\` finishes it`
  }
  if (end.reason === 'io_error')
    return ' what is recorded is safe: once that is repaired, `ralph run --continue` goes on'
  return RESUMABLE.has(end.reason) ? ' `ralph run --continue` goes on' : ''
}

/** Ends after which going on makes sense without repairing something first. */
const RESUMABLE: ReadonlySet<string> = new Set([
  'max_iterations',
  'max_runtime',
  'max_cost',
  'max_tokens',
  'max_agents',
  'stopped',
  'interrupted',
])

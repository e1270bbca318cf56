import type { WaveWorkerDone } from '../../core/run-event.ts'
import { plural } from './rule.ts'
import { formatCost, formatTokens } from './spending.ts'

/** More workers than this are told in one sum: `ralph wave results --json` has each. */
const MOST_ROWS = 12

/**
 * What the workers of a wave spent, below its summary: the sum, then a line for each. Nothing if no worker's program tells.
 *
 * ```
 *   workers: $0.0052 | 6.0k tokens in, 120 out
 *     1: $0.0017 | 2.0k tokens in, 40 out
 * ```
 */
export function renderWaveSpending(all: readonly WaveWorkerDone[]): readonly string[] {
  // What an earlier wave has paid is no cost of this one.
  const workers = all.filter((done) => done.reused === undefined).toSorted((a, b) => a.index - b.index)
  if (workers.every((done) => done.cost_usd === null && done.input_tokens === null)) return []
  const rows = workers.length > MOST_ROWS ? [] : workers
  return [
    `  workers: ${renderSum(workers)}`,
    ...rows.map((done) => `    ${done.index + 1}: ${renderFigures(done)}`),
  ]
}

type Figures = Pick<WaveWorkerDone, 'cost_usd' | 'cost_source' | 'input_tokens' | 'output_tokens'>

function renderFigures({ cost_usd, cost_source, input_tokens, output_tokens }: Figures): string {
  const cost = cost_usd === null ? 'cost unknown' : formatCost(cost_usd, cost_source)
  const tokens =
    input_tokens === null || output_tokens === null
      ? 'tokens unknown'
      : `${formatTokens(input_tokens)} tokens in, ${formatTokens(output_tokens)} out`
  return `${cost} | ${tokens}`
}

/** A sum from which workers are missing says so. */
function renderSum(workers: readonly WaveWorkerDone[]): string {
  const silent = workers.filter((done) => done.cost_usd === null).length
  const rest =
    silent > 0 && silent < workers.length ? `, and what ${plural(silent, 'worker')} did not tell` : ''
  return `${renderFigures({
    cost_usd: sum(workers.map((done) => done.cost_usd)),
    cost_source: workers.some((done) => done.cost_source === 'derived') ? 'derived' : 'reported',
    input_tokens: sum(workers.map((done) => done.input_tokens)),
    output_tokens: sum(workers.map((done) => done.output_tokens)),
  })}${rest}`
}

/** Of what is known; null if nothing is. */
function sum(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null)
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0)
}

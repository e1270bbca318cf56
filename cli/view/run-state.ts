import type { RunSummary } from '../runs/summary.ts'
import { formatCost } from './spending.ts'

/** How a run stands, in a word or two: `running`, `completed`, `interrupted`, `crashed`, `damaged`. */
export function runState({ state, stop_reason }: Pick<RunSummary, 'state' | 'stop_reason'>): string {
  switch (state) {
    case 'running':
    case 'damaged':
      return state
    case 'cut':
      return 'crashed'
    case 'ended':
      return stop_reason ?? 'ended'
  }
}

/** What a run has cost so far. */
export function runCost(run: Pick<RunSummary, 'cost_usd' | 'cost_source' | 'agents_without_cost'>): string {
  return formatCost(run.cost_usd, run.cost_source, run.agents_without_cost ?? 0)
}

/** `812 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

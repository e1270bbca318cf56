import type { CostSource } from '../../core/run-event.ts'

/** A cost for people: `$0.34`, `$0.34 (derived)`, `over $0.34` where `silent` agents told none, `unknown`. */
export function formatCost(usd: number | null, source: CostSource, silent = 0): string {
  if (usd === null) return 'unknown'
  const amount = `${silent > 0 ? 'over ' : ''}${formatUsd(usd)}`
  return source === 'derived' ? `${amount} (derived)` : amount
}

/** Dollars: cents, and more digits only where cents would say nothing. */
export function formatUsd(usd: number): string {
  return `$${usd !== 0 && Math.abs(usd) < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`
}

/** A number of tokens: `812`, `1.2k`, `34k`, `1.2M`. */
export function formatTokens(count: number): string {
  if (count < 1000) return String(count)
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`
  if (count < 999_500) return `${Math.round(count / 1000)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

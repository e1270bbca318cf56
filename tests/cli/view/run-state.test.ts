import { describe, expect, test } from 'bun:test'
import { formatBytes, runCost, runState } from '../../../cli/view/run-state.ts'

describe('a run in a word', () => {
  test.each([
    ['running', null, 'running'],
    ['ended', 'completed', 'completed'],
    ['ended', 'max_cost', 'max_cost'],
    ['cut', null, 'crashed'],
    ['damaged', null, 'damaged'],
  ] as const)('%s, %p: %s', (state, stop_reason, word) => {
    expect(runState({ state, stop_reason })).toBe(word)
  })
})

describe('the cost of a run', () => {
  const cost = (usd: number | null, source: 'reported' | 'derived' | null, unknown: number): string =>
    runCost({ cost_usd: usd, cost_source: source, agents_without_cost: unknown })

  test('that no agent told is unknown, never zero', () => {
    expect(cost(null, null, 2)).toBe('unknown')
  })
  test('is exact where all told it', () => {
    expect(cost(1.5, 'reported', 0)).toBe('$1.50')
    expect(cost(0, 'reported', 0)).toBe('$0.00')
  })
  test('is a lower bound where some told none', () => {
    expect(cost(1.5, 'derived', 1)).toBe('over $1.50 (derived)')
  })
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [41_869, '42 kB'],
  [999_600, '1.0 MB'],
  [3_400_000_000, '3.4 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

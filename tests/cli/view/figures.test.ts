import { describe, expect, test } from 'bun:test'
import { formatDuration, formatLimit, formatStamp } from '../../../cli/view/duration.ts'
import { plural, rule } from '../../../cli/view/rule.ts'
import { formatCost, formatTokens, formatUsd } from '../../../cli/view/spending.ts'

describe('figures for people', () => {
  test.each([
    [0, '0.0s'],
    [412, '0.4s'],
    [9949, '9.9s'],
    [9950, '10s'],
    [59_499, '59s'],
    [59_500, '1m 00s'],
    [65_000, '1m 05s'],
    [3_600_000, '1h 00m'],
    [7_380_000, '2h 03m'],
  ])('a duration of %d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('a time of a record is shown as local time; what is none stays', () => {
    const local = new Date(2026, 10, 30, 14, 3, 9)
    expect(formatStamp(local.toISOString())).toBe('2026-11-30 14:03:09')
    expect(formatStamp('yesterday')).toBe('yesterday')
  })

  test.each([
    [45, '45s'],
    [90, '90s'],
    [300, '5m'],
    [14400, '4h'],
  ])('a limit of %d s is %s', (seconds, text) => {
    expect(formatLimit(seconds)).toBe(text)
  })

  test.each([
    [0, '$0.00'],
    [0.0123, '$0.0123'],
    [0.345, '$0.34'],
    [12, '$12.00'],
  ])('%d USD is %s', (usd, text) => {
    expect(formatUsd(usd)).toBe(text)
  })

  test.each([
    [null, null, 'unknown'],
    [0.5, 'reported', '$0.50'],
    [0.5, 'derived', '$0.50 (derived)'],
  ] as const)('a cost of %p from %p is %s', (usd, source, text) => {
    expect(formatCost(usd, source)).toBe(text)
  })

  test.each([
    [812, '812'],
    [1240, '1.2k'],
    [34_400, '34k'],
    [1_250_000, '1.3M'],
  ])('%d tokens are %s', (count, text) => {
    expect(formatTokens(count)).toBe(text)
  })

  test('a rule fills the width, a long one still ends as a rule', () => {
    expect(rule('A', 12)).toBe('── A ───────')
    expect(rule('日本', 12)).toBe('── 日本 ────')
    expect(rule('longer than the width', 12)).toBe('── longer than the width ──')
  })

  test('one is singular', () => {
    expect(plural(1, 'iteration')).toBe('1 iteration')
    expect(plural(0, 'iteration')).toBe('0 iterations')
  })
})

import { describe, expect, test } from 'bun:test'
import { parseAge } from '../../cli/age.ts'

describe('an age', () => {
  test.each([
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
    ['0d', 0],
  ])('%s is a number of milliseconds', (text, ms) => {
    expect(parseAge('older-than', text)).toBe(ms)
  })

  test('that is not given stays so', () => {
    expect(parseAge('older-than', undefined)).toBeUndefined()
  })

  test.each(['7', 'd', '-1d', '1.5h', '7 d', '7w', '', '9999999d'])(
    '%p is a mistake that names the flag',
    (text) => {
      expect(() => parseAge('older-than', text)).toThrow('--older-than is a number of days, hours or minutes')
    },
  )
})

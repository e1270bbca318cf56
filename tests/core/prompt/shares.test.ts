import { describe, expect, test } from 'bun:test'
import { ends, fairShare, lastLines } from '../../../core/prompt/shares.ts'

describe('a fair share', () => {
  test.each([
    ['nothing to share', [], 10, Number.POSITIVE_INFINITY],
    ['all fit', [3, 3, 4], 10, Number.POSITIVE_INFINITY],
    ['one is too long', [11], 10, 10],
    ['small ones stay whole, the rest share what is left', [500, 5000, 5000], 3000, 1250],
    ['order does not matter', [5000, 500, 5000], 3000, 1250],
    ['what one small text leaves falls to the next', [1, 4, 100], 12, 7],
    ['more texts than bytes', [5, 5, 5], 2, 0],
  ])('%s', (_, sizes, budget, share) => {
    expect(fairShare(sizes, budget)).toBe(share)
  })

  test('never gives out more than there is', () => {
    const sizes = Array.from({ length: 200 }, (_, i) => (i * 7919) % 1000)
    for (const budget of [1, 999, 20_000, 60_000]) {
      const share = fairShare(sizes, budget)
      expect(sizes.reduce((sum, size) => sum + Math.min(size, share), 0)).toBeLessThanOrEqual(budget)
    }
  })
})

describe('the ends of a text', () => {
  test.each([
    ['abcdefghij', 4, 'ab', 'ij', 6],
    ['abcdefghij', 5, 'abc', 'ij', 5],
    ['ééééé', 6, 'é', 'é', 6],
    ['漢字漢字', 7, '漢', '字', 6],
    ['🙂🙂🙂', 7, '🙂', '', 8],
    ['abc', 0, '', '', 3],
  ])('of %s in %d bytes are cut between characters', (text, bytes, head, tail, leftOut) => {
    expect(ends(text, bytes)).toEqual({ head, tail, leftOut })
  })
})

describe('the last lines', () => {
  test.each([
    ['one\ntwo\nthree', 100, 'one\ntwo\nthree', 0],
    ['one\ntwo\nthree', 9, 'two\nthree', 4],
    ['one\ntwo\nthree', 8, 'three', 8],
    ['one\ntwo\n', 5, 'two\n', 4],
    ['一二三四', 7, '三四', 6],
  ])('of %j in %d bytes', (text, bytes, shown, leftOut) => {
    expect(lastLines(text, bytes)).toEqual({ text: shown, leftOut })
  })
})

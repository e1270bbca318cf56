import { describe, expect, test } from 'bun:test'
import { parseIndices } from '../../cli/indices.ts'

describe('a list of indices', () => {
  test.each([
    { text: '3', is: [3] },
    { text: '3,7', is: [3, 7] },
    { text: '7, 3', is: [3, 7] },
    { text: '3-5', is: [3, 4, 5] },
    { text: '0,2-3,3', is: [0, 2, 3] },
  ])('$text is $is', ({ text, is }) => {
    expect(parseIndices('only', text)).toEqual(is)
  })

  test.each(['', ',', '3,', 'x', '-1', '5-3', '1.5', '0-9999999', '99999999999'])('%p is none', (text) => {
    expect(() => parseIndices('only', text)).toThrow('--only is a list of indices')
  })
})

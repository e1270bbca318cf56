import { describe, expect, test } from 'bun:test'
import { itemFormat, parseItems } from '../../cli/items.ts'

const payloads = (text: string, format: 'lines' | 'nul' | 'jsonl') =>
  parseItems(text, format).map(({ payload }) => payload)

test.each([
  [{ nul: false, jsonl: false }, 'lines'],
  [{ nul: true, jsonl: false }, 'nul'],
  [{ nul: false, jsonl: true }, 'jsonl'],
] as const)('the flags %j mean %s', (flags, format) => {
  expect(itemFormat(flags)).toBe(format)
})

test.each([
  ['one item a line', 'a\nb\n', ['a', 'b']],
  ['blank lines are skipped', '\na\n\n  \nb', ['a', 'b']],
  ['white space in a line is kept', ' a \n', [' a ']],
  ['CRLF ends a line too', 'a\r\nb\r\n', ['a', 'b']],
  ['nothing', '', []],
])('lines: %s', (_, text, expected) => {
  expect(payloads(text, 'lines')).toEqual(expected)
})

test.each([
  ['a final NUL adds no item', 'a\nb\0c\0', ['a\nb', 'c']],
  ['without a final NUL', 'a\0b', ['a', 'b']],
  ['an empty item counts', 'a\0\0b\0', ['a', '', 'b']],
  ['nothing', '', []],
])('NUL: %s', (_, text, expected) => {
  expect(payloads(text, 'nul')).toEqual(expected)
})

describe('JSONL', () => {
  test('payloads that are no strings become compact text, and a topic may be there', () => {
    const text = '{"payload":"a"}\n\n{"topic":"x","payload":{"k": 1}}\r\n{"payload":null}\n'
    expect(parseItems(text, 'jsonl')).toEqual([
      { payload: 'a', line: 1 },
      { topic: 'x', payload: '{"k":1}', line: 3 },
      { payload: 'null', line: 4 },
    ])
  })

  test.each([
    ['{"payload":"a"}\n\n{oops', 'line 3: no valid JSON'],
    ['[1]', 'line 1: no JSON object'],
    ['{"topic":"x"}', 'line 1: the object has no "payload"'],
    ['{"topic":1,"payload":""}', 'line 1: the topic is no string'],
  ])('%j is an error with its line', (text, message) => {
    expect(() => parseItems(text, 'jsonl')).toThrow(message)
  })
})

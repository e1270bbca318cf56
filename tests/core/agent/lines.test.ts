import { describe, expect, test } from 'bun:test'
import { createLineSplitter } from '../../../core/agent/lines.ts'

function split(chunks: readonly (string | readonly number[])[], maxBytes?: number): string[] {
  const splitter = createLineSplitter(maxBytes)
  const bytes = chunks.map((chunk) =>
    typeof chunk === 'string' ? Buffer.from(chunk) : Uint8Array.from(chunk),
  )
  return [...bytes.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

describe('bytes become lines', () => {
  const table: [string, (string | number[])[], string[]][] = [
    ['nothing', [], []],
    ['one line', ['a\n'], ['a']],
    ['several in one piece', ['a\nb\n\nc\n'], ['a', 'b', '', 'c']],
    ['a last line without newline', ['a\nb'], ['a', 'b']],
    ['a line in three pieces', ['a', 'b', 'c\nd\n'], ['abc', 'd']],
    ['a newline that comes alone', ['a', '\n', 'b'], ['a', 'b']],
    ['\\r\\n, also split', ['a\r\nb\r', '\nc\r\n'], ['a', 'b', 'c']],
    ['an empty line between two pieces', ['a\n', '\n', 'b\n'], ['a', '', 'b']],
    ['a character split over two pieces', ['k', [0xc3], [0xa4, 0x73, 0x0a]], ['käs']],
    ['a character of four bytes in four pieces', [[0xf0], [0x9f], [0x8e], [0x89], [0x0a]], ['🎉']],
    ['bytes that are no UTF-8', [[0x61, 0xff, 0xfe, 0x62, 0x0a]], ['a\ufffd\ufffdb']],
    ['half a character before the newline', [[0x61, 0xc3, 0x0a, 0x62, 0x0a]], ['a\ufffd', 'b']],
    ['half a character at the end', [[0x61, 0xc3]], ['a\ufffd']],
    ['a byte order mark, which is kept', [[0xef, 0xbb, 0xbf, 0x61, 0x0a]], ['\ufeffa']],
  ]
  test.each(table)('%s', (_, chunks, lines) => {
    expect(split(chunks)).toEqual(lines)
  })

  test('the pieces do not matter: any cut of a text gives the same lines', () => {
    const text = Buffer.from('eins\nzwölf 🎉\r\n\nletzte')
    for (let at = 0; at <= text.length; at++) {
      expect(split([[...text.subarray(0, at)], [...text.subarray(at)]])).toEqual([
        'eins',
        'zwölf 🎉',
        '',
        'letzte',
      ])
    }
  })

  test('a line above the limit is cut and says so; the next one is whole', () => {
    expect(split(['abc', 'def', 'ghi\nnext\n'], 5)).toEqual(['abcde [cut: 4 bytes]', 'next'])
  })

  test('a line of 20 MB in pieces of 64 KB comes whole', () => {
    const splitter = createLineSplitter()
    const piece = new Uint8Array(65_536).fill(0x78)
    for (let n = 0; n < 320; n++) expect(splitter.push(piece)).toEqual([])
    expect(splitter.push(Buffer.from('\n')).map((line) => line.length)).toEqual([320 * 65_536])
  })

  test('what is kept is a copy: the caller may use its buffer again', () => {
    const splitter = createLineSplitter()
    const buffer = Buffer.from('ab')
    splitter.push(buffer)
    buffer.fill('x')
    expect(splitter.end()).toEqual(['ab'])
  })
})

test('who asks is told how much of a line was not read', () => {
  const told: number[] = []
  const splitter = createLineSplitter(4, (bytes) => told.push(bytes))
  for (const chunk of ['abcdef', 'gh\nijkl\n', 'mnopqr']) splitter.push(Buffer.from(chunk))
  splitter.end()
  expect(told).toEqual([4, 2])
})

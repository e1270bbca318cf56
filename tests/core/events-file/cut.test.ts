import { expect, test } from 'bun:test'
import { LineCutter } from '../../../core/events-file/cut.ts'

const cut = (cutter: LineCutter, text: string) =>
  [...cutter.push(Buffer.from(text))].map(({ length, bytes }) => [length, Buffer.from(bytes).toString()])

test('lines come out whole, wherever the pieces were cut', () => {
  const cutter = new LineCutter(100)
  expect(cut(cutter, 'a\nbc')).toEqual([[2, 'a\n']])
  expect(cutter.pending).toBe(2)
  expect(cut(cutter, 'd')).toEqual([])
  expect(cut(cutter, '\n\ne')).toEqual([
    [4, 'bcd\n'],
    [1, '\n'],
  ])
  expect(cutter.pending).toBe(1)
})

test('the unfinished line can be taken as it is, once', () => {
  const cutter = new LineCutter(100)
  cut(cutter, 'ab')
  expect(Buffer.from(cutter.rest()?.bytes ?? []).toString()).toBe('ab')
  expect(cutter.rest()).toBeNull()
})

test('of a line above the limit only the beginning is kept, but its length is known', () => {
  const cutter = new LineCutter(4)
  cut(cutter, 'abc')
  cut(cutter, 'def')
  cut(cutter, 'ghi')
  expect(cut(cutter, 'j\nk\n')).toEqual([
    [11, 'abcdef'],
    [2, 'k\n'],
  ])
})

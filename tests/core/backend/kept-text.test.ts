import { expect, test } from 'bun:test'
import { createKeptText } from '../../../core/backend/kept-text.ts'

function kept(max: number, lines: readonly string[]): string {
  const text = createKeptText(max)
  for (const line of lines) text.add(line)
  return text.text()
}

test('what fits is kept as it was, trimmed', () => {
  expect(kept(100, ['', 'a', '', 'b', ''])).toBe('a\n\nb')
  expect(kept(8, ['abc', 'def'])).toBe('abc\ndef')
  expect(kept(100, [])).toBe('')
})

test('of more, the first and the last half are kept, with the number of characters between them', () => {
  expect(kept(8, ['abcdefghij'])).toBe('abcd\n[cut: 3 characters]\nhij')
  expect(kept(8, ['ab', 'cdefgh', 'ij', 'kl'])).toBe('ab\nc\n[cut: 8 characters]\n\nkl')
})

test.each([1, 3, 7, 50])('in lines of %d characters nothing is lost from the count', (size) => {
  const lines = Array.from({ length: 200 }, (_, i) => `${i % 10}`.repeat(size))
  const whole = `${lines.join('\n')}\n`
  const [, first = '', missing = '', last = ''] =
    /^([^[]*)\n\[cut: (\d+) .*\]\n([^[]*)$/s.exec(kept(64, lines)) ?? []
  expect(whole.startsWith(first)).toBe(true)
  expect(whole.trimEnd().endsWith(last)).toBe(true)
  expect(first.length + Number(missing) + last.length).toBe(whole.trimEnd().length)
})

test('memory stays bounded however long the output is', () => {
  const text = createKeptText(1000)
  for (let n = 0; n < 100_000; n++) text.add('0123456789'.repeat(10))
  expect(text.text().length).toBeLessThan(1100)
})

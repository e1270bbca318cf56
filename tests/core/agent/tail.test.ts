import { expect, test } from 'bun:test'
import { createTail } from '../../../core/agent/tail.ts'

function tailOf(lines: readonly string[]): string {
  const tail = createTail()
  for (const line of lines) tail.add(line)
  return tail.text()
}

test('the last 20 lines are remembered', () => {
  const lines = Array.from({ length: 50 }, (_, n) => `line ${n}`)
  expect(tailOf(lines)).toBe(lines.slice(-20).join('\n'))
})

test('at most 4096 characters are given, the last ones', () => {
  const text = tailOf(['first', 'x'.repeat(4090), 'the end'])
  expect(text.length).toBe(4096)
  expect(text.startsWith('…x')).toBe(true)
  expect(text.endsWith('x\nthe end')).toBe(true)
})

test('blank lines at the end are left out, and nothing is an empty text', () => {
  expect(tailOf(['boom', '', ''])).toBe('boom')
  expect(tailOf([])).toBe('')
})

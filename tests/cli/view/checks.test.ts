import { expect, test } from 'bun:test'
import type { Check } from '../../../cli/doctor/check.ts'
import { renderChecks } from '../../../cli/view/checks.ts'
import { createPalette } from '../../../cli/view/colour.ts'
import { wrap } from '../../../cli/view/wrap.ts'

const paint = createPalette(false)
const long = 'some words that go on and on '.repeat(12).trim()

test('no line is wider than the terminal, and all words are there', () => {
  const checks: Check[] = [
    { check: 'config', state: 'ok', detail: long },
    { check: 'a name that is too long for its column', state: 'fail', detail: long, todo: long },
  ]
  for (const columns of [60, 80, 110]) {
    const text = renderChecks(checks, { paint, columns })
    expect(Math.max(...text.split('\n').map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(columns)
    expect(text.match(/\bwords\b/g)).toHaveLength(36)
  }
})

test('each state has a word, and the end counts what is wrong', () => {
  const text = renderChecks(
    [
      { check: 'one', state: 'ok', detail: 'd' },
      { check: 'two', state: 'warn', detail: 'd', todo: 'do it' },
      { check: 'three', state: 'fail', detail: 'd' },
      { check: 'four', state: 'absent', detail: 'd', todo: 'get it' },
    ],
    { paint, columns: 80 },
  )
  expect(text).toMatch(/^one +ok +d\ntwo +warn +d\n +→ do it\nthree +FAILED +d\nfour +– +d \(get it\)\n/)
  expect(text).toEndWith('\n\n1 check failed, 1 warning\n')
  expect(renderChecks([{ check: 'one', state: 'ok', detail: 'd' }], { paint, columns: 80 })).toEndWith(
    'All is well.\n',
  )
})

test('a text of several lines, or with control sequences, stays one harmless entry', () => {
  const check: Check = { check: 'config', state: 'fail', detail: 'one\n  two\x1b[2J' }
  expect(renderChecks([check], { paint, columns: 80 })).toContain('FAILED  one; two\n')
})

test('a word that is longer than a line is not broken', () => {
  expect(wrap('see /a/very/long/path here', 10)).toEqual(['see', '/a/very/long/path', 'here'])
})

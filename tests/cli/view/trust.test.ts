import { expect, test } from 'bun:test'
import { createPalette } from '../../../cli/view/colour.ts'
import { renderExecutables, renderWord } from '../../../cli/view/trust.ts'

test('a line says what would run, and who says so', () => {
  const origin = { label: 'ralph.yml', path: '/w/ralph.yml' }
  const place = { origin, line: 3, column: 5 }
  const lines = renderExecutables(
    [
      { kind: 'program', hat: '', words: ['./a.sh', 'two words'], more: false, places: [place, place] },
      { kind: 'program', hat: 'b', words: ['claude', '--x'], more: true, places: [place] },
      { kind: 'plugin', name: 'own', path: '/w/.ralph/plugins/own.ts' },
      { kind: 'script', path: 'm.yml', place },
    ],
    '/w',
    createPalette(false),
  )
  expect(lines).toBe(
    [
      "  ./a.sh 'two words'  (ralph.yml:3:5)\n",
      '  claude … --x  (hat b, ralph.yml:3:5)\n',
      '  plugin own  (.ralph/plugins/own.ts)\n',
      '  mock script m.yml  (ralph.yml:3:5)\n',
    ].join(''),
  )
})

test.each([
  ['./a-b_c=d,e:f@g%h+i', './a-b_c=d,e:f@g%h+i'],
  ["it's", "'it'\\''s'"],
  ['$(x)', "'$(x)'"],
  ['', "''"],
  ['grüße', "'grüße'"],
  ['a\nb', "$'a\\x0ab'"],
  ["'\\\x1b[2K", "$'\\'\\\\\\x1b[2K'"],
  ['x\u202ey', "$'x\\u202ey'"],
  ['x\u00a0y', "$'x\\xa0y'"],
])('%j hides nothing', (word, shown) => {
  expect(renderWord(word)).toBe(shown)
})

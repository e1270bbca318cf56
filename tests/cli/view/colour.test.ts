import { describe, expect, test } from 'bun:test'
import { createPalette, decideColour } from '../../../cli/view/colour.ts'

describe('colours', () => {
  test.each([
    ['come at a terminal', 'auto', {}, true, true],
    ['stay away from a pipe', 'auto', {}, false, false],
    ['come on --color always', 'always', {}, false, true],
    ['stay away on --color never', 'never', { FORCE_COLOR: '1' }, true, false],
    ['a non-empty NO_COLOR wins over --color always', 'always', { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR says nothing', 'auto', { NO_COLOR: '' }, true, true],
    ['FORCE_COLOR brings them to a pipe', 'auto', { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=0 takes them away', 'auto', { FORCE_COLOR: '0' }, true, false],
    ['a dumb terminal gets none', 'auto', { TERM: 'dumb' }, true, false],
  ] as const)('%s', (_, choice, env, isTerminal, wanted) => {
    expect(decideColour({ choice, env, isTerminal })).toBe(wanted)
  })

  test('a palette without colours changes nothing', () => {
    expect(createPalette(false).red('x')).toBe('x')
    expect(createPalette(true).red('x')).toBe('\x1b[31mx\x1b[39m')
  })
})

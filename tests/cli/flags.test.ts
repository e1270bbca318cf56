import { describe, expect, test } from 'bun:test'
import { parseCount } from '../../cli/count.ts'
import { decideVerbosity } from '../../cli/verbosity.ts'

describe('a count on the command line', () => {
  test.each([
    ['0', 0],
    ['7', 7],
    ['2147483647', 2_147_483_647],
  ])('%s is read', (text, count) => {
    expect(parseCount('max-iterations', text)).toBe(count)
  })

  test.each(['-1', '1.5', '0x1', '1e3', 'many', '', ' 1', '2147483648'])('%p is a usage error', (text) => {
    expect(() => parseCount('max-iterations', text)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })

  test('an absent one stays absent, one below the least is an error', () => {
    expect(parseCount('jobs', undefined, 1)).toBeUndefined()
    expect(() => parseCount('jobs', '0', 1)).toThrow('--jobs must be an integer from 1')
  })
})

describe('how much is said', () => {
  const off = { quiet: false, verbose: false }
  test.each([
    ['nothing asked', off, {}, false, off],
    ['the flags', { quiet: true, verbose: true }, {}, false, { quiet: true, verbose: true }],
    [
      'the environment',
      off,
      { RALPH_QUIET: '1', RALPH_VERBOSE: 'yes' },
      false,
      { quiet: true, verbose: true },
    ],
    ['empty and 0 say nothing', off, { RALPH_QUIET: '', RALPH_VERBOSE: '0' }, false, off],
    ['the config', off, {}, true, { quiet: false, verbose: true }],
  ] as const)('%s', (_, flags, env, configured, wanted) => {
    expect(decideVerbosity({ flags, env, configured })).toEqual(wanted)
  })
})

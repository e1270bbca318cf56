import { describe, expect, test } from 'bun:test'
import { type CommandSpec, GLOBAL_FLAGS, parseArguments } from '../../cli/arguments.ts'
import { RalphError } from '../../core/errors.ts'

const SPEC = {
  name: 'try',
  summary: '',
  examples: [],
  positionals: [{ name: 'FIRST', required: false, description: '' }],
  rest: { name: 'EXTRA', description: '' },
  flags: {
    prompt: { type: 'one', short: 'p', description: '' },
    file: { type: 'many', short: 'f', description: '' },
    words: { type: 'variadic', description: '' },
    quiet: { type: 'bool', short: 'q', description: '' },
    zero: { type: 'bool', short: '0', description: '' },
    'max-items': { type: 'one', description: '' },
    secret: { type: 'bool', hidden: true, description: '' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies CommandSpec

/** Without `rest`, and with a second positional that may begin with a dash. */
const EMIT = {
  name: 'try',
  summary: '',
  examples: [],
  positionals: [
    { name: 'TOPIC', required: true, description: '' },
    { name: 'PAYLOAD', required: false, dashes: true, description: '' },
  ],
  flags: SPEC.flags,
} as const satisfies CommandSpec

function parse(...words: string[]) {
  return parseArguments(SPEC, words)
}

function parseEmit(...words: string[]) {
  return parseArguments(EMIT, words)
}

/** The error of a command line, with its hint. */
function faultOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof RalphError && error.exitCode === 2) return `${error.message}. ${error.hint}`
    throw error
  }
  throw new Error('no error')
}

describe('a flag with one value', () => {
  test.each([
    ['long', ['--prompt', 'x'], 'x'],
    ['long with =', ['--prompt=x'], 'x'],
    ['long with = and a value that holds =', ['--prompt=a=b'], 'a=b'],
    ['long with = and nothing', ['--prompt='], ''],
    ['short', ['-p', 'x'], 'x'],
    ['short, attached', ['-px'], 'x'],
    ['short, attached with =', ['-p=x'], 'x'],
    ['at the end of a cluster', ['-qp', 'x'], 'x'],
    ['an empty word', ['-p', ''], ''],
    ['a lone dash', ['-p', '-'], '-'],
    ['a negative number', ['-p', '-5'], '-5'],
    ['a word that looks like a flag but is none', ['-p', '--zzz'], '--zzz'],
    ['a list item', ['-p', '- a'], '- a'],
    ['a flag, by =', ['--prompt=--quiet'], '--quiet'],
  ])('%s', (_, words, value) => {
    expect(parse(...words).flags.prompt).toBe(value)
  })

  test('is undefined where it is not given', () => {
    expect(parse().flags.prompt).toBeUndefined()
  })

  test.each([[['--prompt']], [['-p']], [['-p', '--quiet']], [['-p', '-q']], [['-p', '--']]])(
    '%j lacks its value',
    (words) => {
      expect(faultOf(() => parse(...words))).toContain('--prompt needs a value')
    },
  )

  test('is given once', () => {
    expect(faultOf(() => parse('-p', 'a', '-p', 'b'))).toContain('--prompt is given twice')
  })
})

describe('flags without a value', () => {
  test('stand alone or in clusters, also repeated', () => {
    expect(parse('-qv0', '-q').flags).toMatchObject({ quiet: true, verbose: true, zero: true, help: false })
  })

  test('take none', () => {
    expect(faultOf(() => parse('--quiet=yes'))).toContain('--quiet takes no value')
  })
})

test('a repeatable flag keeps all its values in order', () => {
  expect(parse('-f', 'a', '--file=b', '-fc').flags.file).toEqual(['a', 'b', 'c'])
  expect(parse().flags.file).toEqual([])
})

describe('a variadic flag', () => {
  test.each([
    ['takes all words up to a flag', ['--words', 'a', 'b', '-q', 'c'], ['a', 'b']],
    [
      'takes words that only look like flags',
      ['--words', '- a', '-x', '--foo', '-'],
      ['- a', '-x', '--foo', '-'],
    ],
    ['takes a flag with its value attached as a word', ['--words', '--prompt=x'], ['--prompt=x']],
    ['may be repeated', ['--words', 'a', '--words', 'b'], ['a', 'b']],
    ['may be repeated with =, whose value may be a flag', ['--words', 'a', '--words=-v'], ['a', '-v']],
    ['takes an empty word', ['--words', ''], ['']],
    ['ends at a global flag', ['--words', 'a', '-v', 'b'], ['a']],
    ['may be followed by -- at once', ['--words', '--', 'a'], []],
  ])('%s', (_, words, values) => {
    expect(parse(...words).flags.words).toEqual(values)
  })

  test('needs a word', () => {
    expect(faultOf(() => parse('--words', '-q'))).toContain('--words needs a value')
  })
})

test('values are also given in the order of the command line', () => {
  expect(parse('--words', 'a', 'b', '-f', 'c', '--words', 'd').given).toEqual([
    { flag: 'words', value: 'a' },
    { flag: 'words', value: 'b' },
    { flag: 'file', value: 'c' },
    { flag: 'words', value: 'd' },
  ])
})

describe('after --', () => {
  test('words are the rest, never flags', () => {
    expect(parse('a', '--', '-q', '--', '--zzz')).toMatchObject({
      positionals: ['a'],
      rest: ['-q', '--', '--zzz'],
      flags: { quiet: false },
    })
  })

  test('words are positionals where the command has no rest', () => {
    expect(parseEmit('t', '--', '--quiet').positionals).toEqual(['t', '--quiet'])
    expect(parseEmit('--', 't', '-').positionals).toEqual(['t', '-'])
  })
})

describe('a positional that may begin with a dash', () => {
  test.each([
    [['t', '- a']],
    [['t', '-x']],
    [['t', '--foo']],
    [['t', '--foo=1']],
    [['t', '-prompt']],
    [['t', '-']],
    [['t', '-5']],
  ])('%j', (words) => {
    expect(parseEmit(...words).positionals).toEqual(words)
  })

  test.each([[['t', '--prompt=x']], [['t', '-p', 'x']]])('is no flag of the command: %j', (words) => {
    expect(parseEmit(...words)).toMatchObject({ positionals: ['t'], flags: { prompt: 'x' } })
  })
})

describe('what makes no sense is named', () => {
  test.each([
    ['an unknown flag', ['--zzz'], 'unknown flag --zzz. See ralph try --help.'],
    ['an unknown flag with a value', ['--zzz=1'], 'unknown flag --zzz.'],
    ['a misspelt flag', ['--promt', 'x'], 'unknown flag --promt. Did you mean --prompt?'],
    ['a misspelt flag, never a hidden one', ['--secre'], 'unknown flag --secre. See'],
    ['an unknown letter', ['-x'], 'unknown flag -x.'],
    ['an unknown letter in a cluster', ['-qx'], 'unknown flag -x.'],
    ['a word too many', ['a', 'b'], "unexpected argument 'b'"],
    ['a value that is no choice', ['--color', 'red'], "--color is one of auto, always, never, not 'red'"],
    ['a name from the object prototype', ['--constructor'], 'unknown flag --constructor.'],
  ])('%s', (_, words, message) => {
    expect(faultOf(() => parse(...words))).toContain(message)
  })

  test('a missing positional', () => {
    expect(faultOf(() => parseEmit())).toContain('TOPIC is missing')
  })

  test('but who asks for help or the version need not give the rest', () => {
    expect(parseEmit('-h').flags.help).toBe(true)
    expect(parseEmit('--version').flags.version).toBe(true)
  })
})

import { usageError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { unreachable } from '../core/result.ts'

/** One flag of a command: how its value is read, and what the help page says of it. */
export interface FlagSpec {
  /**
   * `bool` takes no value; `one` takes one, once; `many` one each time; `variadic` all words up to a word that is
   * exactly a flag of the command, or up to `--`.
   */
  readonly type: 'bool' | 'one' | 'many' | 'variadic'
  /** One character, without the dash. */
  readonly short?: string
  /** Name of the value on the help page. */
  readonly value?: string
  /** The only values that are accepted. */
  readonly choices?: readonly string[]
  readonly description: string
  /** As the help page shows it; the parser gives no defaults. */
  readonly default?: string
  /** Heading on the help page. */
  readonly group?: string
  /** Accepted, but not on the help page. */
  readonly hidden?: boolean
}

export interface PositionalSpec {
  readonly name: string
  readonly required: boolean
  readonly variadic?: boolean
  /** A word here may begin with `-`, unless it is exactly a flag of the command. */
  readonly dashes?: boolean
  readonly description: string
}

/** A command's grammar and the text of its help page. `name` is what follows `ralph`, such as `wave emit`. */
export interface CommandSpec {
  readonly name: string
  readonly summary: string
  readonly examples: readonly string[]
  readonly positionals: readonly PositionalSpec[]
  readonly flags: Readonly<Record<string, FlagSpec>>
  /** What words after `--` are. Absent: positionals that are never taken for flags. */
  readonly rest?: { readonly name: string; readonly description: string }
  /** What a word that has no place here was probably meant for. */
  readonly stray?: string
}

/** Flags that every command takes. */
export const GLOBAL_FLAGS = {
  config: {
    type: 'many',
    short: 'c',
    value: 'FILE|KEY=VALUE',
    description: 'Config file, or one key of it',
    default: 'ralph.yml',
    group: 'Global',
  },
  hats: {
    type: 'one',
    short: 'H',
    value: 'HATS',
    description: 'Hat collection: a preset or a file',
    group: 'Global',
  },
  verbose: { type: 'bool', short: 'v', description: 'Say more on stderr', group: 'Global' },
  color: {
    type: 'one',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    description: 'Colours: auto, always or never',
    default: 'auto',
    group: 'Global',
  },
  help: { type: 'bool', short: 'h', description: 'Show this page', group: 'Global' },
  version: { type: 'bool', short: 'V', description: 'Show the version', group: 'Global' },
} as const satisfies Readonly<Record<string, FlagSpec>>

/** A command line as its command's spec reads it. */
export interface Parsed<S extends CommandSpec> {
  readonly flags: FlagValues<S['flags']>
  /** Without `rest` in the spec, words after `--` are among them. */
  readonly positionals: readonly string[]
  /** Words after `--`. */
  readonly rest: readonly string[]
  /** Values of flags in the order of the command line. */
  readonly given: readonly { readonly flag: string; readonly value: string }[]
}

export type FlagValues<F extends Readonly<Record<string, FlagSpec>>> = {
  readonly [K in keyof F]: F[K]['type'] extends 'bool'
    ? boolean
    : F[K]['type'] extends 'one'
      ? string | undefined
      : readonly string[]
}

/**
 * Reads the words after the command's name.
 * Throws a usage error for an unknown flag, a missing or unwanted value, a value that is no choice, or a wrong number
 * of positionals. With `help` or `version` among the flags, missing positionals are no error.
 */
export function parseArguments<const S extends CommandSpec>(spec: S, argv: readonly string[]): Parsed<S> {
  const reading: Reading = { spec, words: argv, next: 0, flags: new Map(), positionals: [], given: [] }
  while (reading.next < argv.length) {
    const word = argv[reading.next++] as string
    if (word === '--') break
    readWord(reading, word)
  }
  const rest = argv.slice(reading.next)
  const positionals = spec.rest === undefined ? [...reading.positionals, ...rest] : reading.positionals
  checkPositionals(reading, positionals)
  return { flags: flagValues(reading) as FlagValues<S['flags']>, positionals, rest, given: reading.given }
}

interface Reading {
  readonly spec: CommandSpec
  readonly words: readonly string[]
  next: number
  /** Values by flag; a `bool` has none. */
  readonly flags: Map<string, string[]>
  readonly positionals: string[]
  readonly given: { flag: string; value: string }[]
}

function readWord(reading: Reading, word: string): void {
  const dashed = word.startsWith('-') && word !== '-'
  if (!dashed) reading.positionals.push(word)
  else if (flagOf(reading.spec, word) === null && isPositional(reading, word)) reading.positionals.push(word)
  else if (word.startsWith('--')) readLong(reading, word)
  else readShorts(reading, word)
}

/** Whether a word that begins with `-` and is not exactly a flag is data at this place. */
function isPositional(reading: Reading, word: string): boolean {
  const { positionals, flags } = reading.spec
  if (/^-\d/.test(word)) return true
  if (positionals[reading.positionals.length]?.dashes !== true) return false
  const equals = word.indexOf('=')
  return !(word.startsWith('--') && equals > 0 && Object.hasOwn(flags, word.slice(2, equals)))
}

/** The flag that a word names exactly, without a value attached; else null. */
function flagOf(spec: CommandSpec, word: string): string | null {
  if (word.startsWith('--')) return Object.hasOwn(spec.flags, word.slice(2)) ? word.slice(2) : null
  return word.startsWith('-') ? longOf(spec, word.slice(1)) : null
}

function longOf(spec: CommandSpec, short: string): string | null {
  for (const name in spec.flags) if (spec.flags[name]?.short === short) return name
  return null
}

function readLong(reading: Reading, word: string): void {
  const equals = word.indexOf('=')
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals)
  const flag = Object.hasOwn(reading.spec.flags, name) ? reading.spec.flags[name] : undefined
  if (flag === undefined) throw unknownFlag(reading.spec, `--${name}`)
  if (flag.type !== 'bool') takeValues(reading, name, equals < 0 ? null : word.slice(equals + 1))
  else if (equals >= 0) throw usage(reading.spec, `--${name} takes no value`)
  else reading.flags.set(name, [])
}

/** `-v`, `-vq`, `-p text`, `-ptext`, `-p=text`, `-vp text`. */
function readShorts(reading: Reading, word: string): void {
  const letters = [...word.slice(1)]
  for (const [i, letter] of letters.entries()) {
    const name = longOf(reading.spec, letter)
    const flag = name === null ? undefined : reading.spec.flags[name]
    if (name === null || flag === undefined) throw unknownFlag(reading.spec, i === 0 ? word : `-${letter}`)
    if (flag.type === 'bool') {
      reading.flags.set(name, [])
      continue
    }
    const attached = letters.slice(i + 1).join('')
    takeValues(reading, name, attached === '' ? null : attached.replace(/^=/, ''))
    break
  }
}

function takeValues(reading: Reading, name: string, attached: string | null): void {
  const { spec, words, given } = reading
  const { type, choices } = spec.flags[name] as FlagSpec
  const values = attached === null ? followingValues(reading, name, type) : [attached]
  if (values.length === 0 && !(type === 'variadic' && words[reading.next] === '--')) {
    const instead = words[reading.next]
    throw usage(
      spec,
      `--${name} needs a value`,
      instead === undefined || instead === '--'
        ? undefined
        : `--${name}=${instead} takes a flag's name as it is.`,
    )
  }
  if (type === 'one' && reading.flags.has(name)) throw usage(spec, `--${name} is given twice`)
  for (const value of values) {
    if (choices !== undefined && !choices.includes(value))
      throw usage(spec, `--${name} is one of ${choices.join(', ')}, not '${value}'`)
    given.push({ flag: name, value })
  }
  reading.flags.set(name, [...(reading.flags.get(name) ?? []), ...values])
}

function followingValues(reading: Reading, name: string, type: FlagSpec['type']): readonly string[] {
  const values: string[] = []
  while (reading.next < reading.words.length && (type === 'variadic' || values.length === 0)) {
    const word = reading.words[reading.next] as string
    const again = type === 'variadic' && word.startsWith(`--${name}=`)
    if (word === '--' || again || flagOf(reading.spec, word) !== null) break
    values.push(word)
    reading.next++
  }
  return values
}

function checkPositionals(reading: Reading, given: readonly string[]): void {
  const { spec } = reading
  const wanted = spec.positionals
  const extra = given[wanted.length]
  if (extra !== undefined && wanted.at(-1)?.variadic !== true) {
    throw usage(spec, `unexpected argument '${extra}'`, spec.stray)
  }
  if (reading.flags.has('help') || reading.flags.has('version')) return
  const missing = wanted[given.length]
  if (missing?.required === true) throw usage(spec, `${missing.name} is missing`)
}

function flagValues(reading: Reading): Record<string, boolean | string | readonly string[] | undefined> {
  const all: Record<string, boolean | string | readonly string[] | undefined> = {}
  for (const [name, flag] of Object.entries(reading.spec.flags)) {
    const values = reading.flags.get(name)
    switch (flag.type) {
      case 'bool':
        all[name] = values !== undefined
        break
      case 'one':
        all[name] = values?.[0]
        break
      case 'many':
      case 'variadic':
        all[name] = values ?? []
        break
      default:
        unreachable(flag.type)
    }
  }
  return all
}

function unknownFlag(spec: CommandSpec, word: string): Error {
  const names = Object.entries(spec.flags).filter(([, flag]) => flag.hidden !== true)
  const close = word.startsWith('--')
    ? nearest(
        word,
        names.map(([name]) => `--${name}`),
      )
    : null
  return usage(spec, `unknown flag ${word}`, close === null ? undefined : `Did you mean ${close}?`)
}

function usage(spec: CommandSpec, message: string, hint?: string): Error {
  const page = `See ${['ralph', spec.name, '--help'].filter((word) => word !== '').join(' ')}.`
  return usageError(message, hint === undefined ? page : `${hint} ${page}`)
}

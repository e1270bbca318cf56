import { err, ok, type Result, unreachable } from '../result.ts'
import { readValue } from './document.ts'
import type { ConfigFault } from './fault.ts'
import type { Field } from './schema/field.ts'
import { configSchema } from './schema.ts'
import { at, type Mapping, mapping, type Origin, put, type Tree } from './tree.ts'

const OVERRIDE = /^([A-Za-z_][^\s=/\\]*)=(.*)$/s

/** True for a `-c` argument that sets a key. A file of the same name comes first: the caller looks. */
export function isOverride(argument: string): boolean {
  return OVERRIDE.test(argument)
}

/**
 * The layer that `-c key.path=value` stands for.
 * @param below what the files say: names of hats and topics may contain dots, and those that exist come first.
 */
export function readOverride(argument: string, below: Mapping): Result<Mapping, readonly ConfigFault[]> {
  const [, key = '', text = ''] = OVERRIDE.exec(argument) ?? []
  const origin: Origin = { label: `-c ${argument}`, path: null }
  const { value, faults } = readValue(text, origin)
  if (value === null || faults.length > 0) return err(faults.map((fault) => ({ ...fault, key })))
  const words = key.split('.')
  return ok(put(mapping({ origin }), resolveKey(configSchema, words, below, value) ?? words, value))
}

/** Splits a dotted path into keys; null if the schema knows no such path. */
function resolveKey(
  field: Field,
  words: readonly string[],
  below: Tree | undefined,
  value: Tree,
): readonly string[] | null {
  const { shape } = field
  const [first, ...rest] = words
  if (first === undefined) return []
  switch (shape.kind) {
    case 'section': {
      const child = shape.entries[first]
      const tail = child && resolveKey(child, rest, below && at(below, [first]), value)
      return tail ? [first, ...tail] : null
    }
    case 'named':
      return resolveName(shape.value, words, below, value)
    case 'either':
      return resolveKey(shape.section, words, below, value)
    case 'inert':
      return words
    case 'list':
    case 'value':
    case 'refused':
      return null
    default:
      return unreachable(shape)
  }
}

/** The longest name that exists, else the shortest one behind which the path leads to a known key. */
function resolveName(
  field: Field,
  words: readonly string[],
  below: Tree | undefined,
  value: Tree,
): readonly string[] {
  const splits = words.map((_, i) => ({ name: words.slice(0, i + 1).join('.'), rest: words.slice(i + 1) }))
  const known = splits.findLast(({ name }) => below && at(below, [name]))
  if (known) {
    const tail = resolveKey(field, known.rest, below && at(below, [known.name]), value)
    return [known.name, ...(tail ?? known.rest)]
  }
  for (const { name, rest } of splits) {
    const tail = resolveKey(field, rest, undefined, value)
    if (tail && (tail.length > 0 || value.kind === 'mapping')) return [name, ...tail]
  }
  return words
}

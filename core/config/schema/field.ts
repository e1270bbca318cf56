import * as v from 'valibot'
import { closest } from '../../nearest.ts'

/** A part of the schema: it checks a value, and says of itself what values it takes. */
export type Field = v.GenericSchema & { readonly shape: Shape }

/** What lies behind a key. Read by everything that must know the keys: suggestions, `-c` paths, JSON Schema. */
export type Shape =
  | { readonly kind: 'value'; readonly json: JsonSchema }
  | { readonly kind: 'list'; readonly item: Field }
  | { readonly kind: 'section'; readonly entries: Entries }
  /** A mapping whose keys are names that the user gives. */
  | { readonly kind: 'named'; readonly name: JsonSchema; readonly value: Field }
  /** A short form, or a section. */
  | { readonly kind: 'either'; readonly short: Field; readonly section: Field }
  /** Accepted with any value, read by nothing. */
  | { readonly kind: 'inert' }
  /** A key that gets an answer of its own. */
  | { readonly kind: 'refused' }

export type Entries = Readonly<Record<string, Field>>
export type JsonSchema = Readonly<Record<string, unknown>>

/** The largest count or number of seconds. */
export const MAX_INTEGER = 2 ** 31 - 1

/** Names that a JavaScript object cannot safely hold as keys. */
const RESERVED = ['__proto__', 'constructor', 'prototype']

/** Any text, the empty one included. */
export const text = shaped(
  v.string((issue) => `must be a string, not ${show(issue.input)}`),
  { kind: 'value', json: { type: 'string' } },
)

/** True or false. */
export const flag = shaped(
  v.boolean((issue) => `must be true or false, not ${show(issue.input)}`),
  { kind: 'value', json: { type: 'boolean' } },
)

/** A text for which `fault` finds nothing wrong. */
export function textWhere(fault: (text: string) => string | null, json: JsonSchema = {}) {
  return shaped(
    v.pipe(
      text,
      v.check(
        (value) => fault(value) === null,
        (issue) => fault(issue.input) ?? '',
      ),
    ),
    { kind: 'value', json: { type: 'string', ...json } },
  )
}

/** A text with at least one visible character. */
export const visibleText = textWhere((value) => (value.trim() === '' ? 'must not be blank' : null), {
  pattern: '\\S',
})

/** A count or a number of seconds. */
export function integer(minimum: number) {
  const rule = (issue: { readonly input: unknown }): string =>
    `must be an integer of at least ${minimum}, not ${show(issue.input)}`
  return shaped(
    v.pipe(
      v.number(rule),
      v.check((value) => Number.isInteger(value) && value >= minimum, rule),
      v.check(
        (value) => !(Number.isInteger(value) && value > MAX_INTEGER),
        (issue) => `must be an integer of at most ${MAX_INTEGER}, not ${show(issue.input)}`,
      ),
    ),
    { kind: 'value', json: { type: 'integer', minimum, maximum: MAX_INTEGER } },
  )
}

/** An amount of money. */
export const amount = shaped(
  v.pipe(
    v.number((issue) => `must be a number, not ${show(issue.input)}`),
    v.check(
      (value) => Number.isFinite(value) && value >= 0,
      (issue) => `must be a number of at least 0, not ${show(issue.input)}`,
    ),
  ),
  { kind: 'value', json: { type: 'number', minimum: 0 } },
)

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  wrong: (value: string) => string = (value) => `must be one of ${words.join(', ')}, not ${value}`,
) {
  return shaped(
    v.picklist(words, (issue) => wrong(show(issue.input))),
    { kind: 'value', json: { enum: words } },
  )
}

/** A list of values of one kind. */
export function list<Item extends Field>(item: Item) {
  return shaped(
    v.array(item, (issue) => `must be a list, not ${show(issue.input)}`),
    { kind: 'list', item },
  )
}

/** A mapping with these keys and no others. Each may be missing, or set to nothing. */
export function section<const E extends Entries>(entries: E) {
  const known = Object.keys(entries).filter((key) => entries[key]?.shape.kind !== 'refused')
  const object = v.pipe(
    v.looseObject(optional(entries)),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!isMapping(dataset.value)) return
      for (const [key, value] of Object.entries(dataset.value)) {
        if (Object.hasOwn(entries, key)) continue
        const path = { type: 'object', origin: 'key', input: dataset.value, key, value } as const
        addIssue({ message: unknownKey(key, known), path: [path] })
      }
    }),
  )
  return shaped(onlyMappings(object), { kind: 'section', entries }) as Field &
    v.GenericSchema<unknown, SectionOutput<E>>
}

/** A mapping from names that the user gives to values of one kind. */
export function named<Name extends TextField, Value extends Field>(name: Name, value: Value) {
  const record = v.record(name, v.nullable(value))
  return shaped(onlyMappings(record), { kind: 'named', name: name.shape.json, value }) as Field &
    v.GenericSchema<unknown, Readonly<Record<string, v.InferOutput<Value> | null>>>
}

/** A short form for people in a hurry, or a section. */
export function either<Short extends Field, Section extends Field>(short: Short, whole: Section) {
  const schema = v.lazy((input): Short | Section => (isMapping(input) ? whole : short))
  return shaped(schema, { kind: 'either', short, section: whole }) as Field &
    v.GenericSchema<unknown, v.InferOutput<Short> | v.InferOutput<Section>>
}

/** A key of v2.10 that has no effect here. */
export const inert = shaped(v.unknown(), { kind: 'inert' })

/** A key that is known but wrong here. */
export function refused(why: string) {
  return shaped(v.never(why), { kind: 'refused' })
}

/** A value as it is named in a message. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown
}

/** The text for a key that no table knows. */
export function unknownKey(key: string, known: readonly string[]): string {
  const near = closest(key, known)
  return near === undefined ? 'unknown key' : `unknown key, did you mean "${near}"?`
}

/** A field that takes texts, such as a key. */
type TextField = v.GenericSchema<string, string> & {
  readonly shape: Extract<Shape, { readonly kind: 'value' }>
}

type SectionOutput<E extends Entries> = {
  readonly [Key in keyof E]?: v.InferOutput<E[Key]> | null | undefined
}

type Optional<E extends Entries> = {
  [Key in keyof E]: v.NullishSchema<E[Key], undefined> | v.OptionalSchema<E[Key], undefined>
}

function optional<E extends Entries>(entries: E): Optional<E> {
  const pairs = Object.entries(entries).map(([key, field]) => [
    key,
    field.shape.kind === 'refused' ? v.optional(field) : v.nullish(field),
  ])
  return Object.fromEntries(pairs) as Optional<E>
}

/** valibot takes lists for objects, and passes over names such as `constructor`: both are faults here. */
function onlyMappings<Schema extends v.GenericSchema>(schema: Schema) {
  const wrong = v.never((issue) =>
    isMapping(issue.input)
      ? `must not have a key ${RESERVED.join(', ')}`
      : `must be a mapping, not ${show(issue.input)}`,
  )
  return v.lazy((input): Schema | typeof wrong =>
    isMapping(input) && !RESERVED.some((name) => Object.hasOwn(input, name)) ? schema : wrong,
  )
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shaped<Schema extends v.GenericSchema, S extends Shape>(
  schema: Schema,
  shape: S,
): Schema & { readonly shape: S } {
  return Object.assign(schema, { shape })
}

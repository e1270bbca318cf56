import * as v from 'valibot'
import type { Step } from '../step.ts'
import { FAILURES } from '../wire.ts'

/** A mapping without further keys. */
export function mapping<const E extends v.ObjectEntries>(
  entries: E,
): v.StrictObjectSchema<E, v.ErrorMessage<v.StrictObjectIssue>> {
  return v.strictObject(entries, ({ expected, received }) => {
    if (expected === 'never') return `is not known here; there are ${Object.keys(entries).join(', ')}`
    return received === 'undefined' ? 'is missing' : 'must be a mapping'
  })
}

const count = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must not be negative'),
)
const amount = v.pipe(v.number('must be a number'), v.minValue(0, 'must not be negative'))
const optionalText = v.optional(v.string('must be a text'))
/** A scalar that YAML read as a number or a boolean is meant as text. */
const text = v.union(
  [
    v.string('must be a text'),
    v.pipe(v.union([v.number(), v.boolean('must be true or false')]), v.transform(String)),
  ],
  'must be a text',
)

const emit = v.pipe(
  mapping({
    topic: v.string('must be a text'),
    payload: v.optional(text),
    file: optionalText,
    json: v.optional(v.boolean('must be true or false'), false),
  }),
  v.check((emit) => emit.payload === undefined || emit.file === undefined, 'has both `payload` and `file`'),
)

const wave = v.pipe(
  mapping({
    topic: optionalText,
    payloads: v.optional(v.array(text)),
    items: v.optional(v.array(mapping({ topic: optionalText, payload: text }))),
  }),
  v.check(
    (wave) => (wave.payloads === undefined) !== (wave.items === undefined),
    'needs either `payloads` or `items`',
  ),
  v.check(
    (wave) => wave.topic !== undefined || (wave.items ?? []).every((item) => item.topic !== undefined),
    'needs a `topic`, or one for each item',
  ),
  v.check(
    (wave) => wave.payloads === undefined || wave.topic !== undefined,
    'needs a `topic` for its `payloads`',
  ),
)

/** Each of these makes one kind of step. */
const BODIES = {
  say: v.pipe(
    text,
    v.transform((text): Step => ({ kind: 'say', text })),
  ),
  think: v.pipe(
    text,
    v.transform((text): Step => ({ kind: 'think', text })),
  ),
  tool: v.pipe(
    mapping({
      name: v.string('must be a text'),
      input: v.optional(text, ''),
      output: v.optional(text, ''),
      failed: v.optional(v.boolean('must be true or false'), false),
    }),
    v.transform((tool): Step => ({ kind: 'tool', ...tool })),
  ),
  run: v.pipe(
    v.string('must be a text'),
    v.transform((command): Step => ({ kind: 'run', command })),
  ),
  emit: v.pipe(
    emit,
    v.transform(
      (emit): Step => ({
        kind: 'emit',
        topic: emit.topic,
        payload:
          emit.file !== undefined
            ? { file: emit.file }
            : emit.payload === undefined
              ? null
              : { text: emit.payload },
        json: emit.json,
      }),
    ),
  ),
  wave: v.pipe(
    wave,
    v.transform(
      ({ topic = '', payloads, items }): Step => ({
        kind: 'wave',
        items: items
          ? items.map((item) => ({ topic: item.topic ?? topic, payload: item.payload }))
          : (payloads ?? []).map((payload) => ({ topic, payload })),
      }),
    ),
  ),
  sleep: v.pipe(
    amount,
    v.transform((seconds): Step => ({ kind: 'sleep', seconds })),
  ),
  fail: v.pipe(
    mapping({
      class: v.picklist(FAILURES, ({ received }) => `${received} is none of ${FAILURES.join(', ')}`),
      message: v.optional(text, 'told to fail by the script'),
      retry_after_seconds: v.optional(amount),
    }),
    v.transform(
      (fail): Step => ({
        kind: 'fail',
        class: fail.class,
        message: fail.message,
        retryAfterSeconds: fail.retry_after_seconds ?? null,
      }),
    ),
  ),
  exit: v.pipe(
    count,
    v.maxValue(255, 'must be at most 255'),
    v.transform((code): Step => ({ kind: 'exit', code })),
  ),
  print_mb: v.pipe(
    v.union(
      [amount, mapping({ stdout: v.optional(amount, 0), stderr: v.optional(amount, 0) })],
      'must be a number, or `stdout` and `stderr`',
    ),
    v.transform(
      (mb): Step => ({
        kind: 'print_mb',
        ...(typeof mb === 'number' ? { stdout: mb, stderr: 0 } : mb),
      }),
    ),
  ),
  cost: v.pipe(
    amount,
    v.transform((usd): Step => ({ kind: 'cost', usd })),
  ),
  usage: v.pipe(
    mapping({
      input: v.optional(count, 0),
      output: v.optional(count, 0),
      cache_read: v.optional(count, 0),
      cache_write: v.optional(count, 0),
    }),
    v.transform(
      (usage): Step => ({
        kind: 'usage',
        input: usage.input,
        output: usage.output,
        cacheRead: usage.cache_read,
        cacheWrite: usage.cache_write,
      }),
    ),
  ),
  end: v.pipe(
    text,
    v.transform((text): Step => ({ kind: 'end', text })),
  ),
} as const

type BodyName = keyof typeof BODIES
const BODY_NAMES = Object.keys(BODIES) as BodyName[]

/** Steps without a value. */
const word = v.pipe(
  v.picklist(
    ['hang', 'ignore_term', 'play'],
    ({ received }) => `${received} is no step; those of one word are hang, ignore_term, play`,
  ),
  v.transform((kind): Step => ({ kind })),
)

/** One step of a script, as written there. */
export const stepSchema: v.GenericSchema<unknown, Step> = v.lazy((input): v.GenericSchema<unknown, Step> => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return word
  const names = Object.keys(input)
  const name = BODY_NAMES.find((known) => known === names[0])
  if (names.length !== 1 || name === undefined) return unknownStep(names)
  return v.pipe(
    mapping({ [name]: BODIES[name] as v.GenericSchema<unknown, Step> }),
    v.transform((made) => made[name] as Step),
  )
})

/** Points at the key that is wrong: the first unknown one, else the second. */
function unknownStep(names: readonly string[]): v.GenericSchema<unknown, Step> {
  const unknown = names.find((name) => !BODY_NAMES.some((known) => known === name))
  const message =
    unknown === undefined
      ? `a step has one key, this one has ${names.length === 0 ? 'none' : names.join(', ')}`
      : `is no step; those with a value are ${BODY_NAMES.join(', ')}`
  const wrong = v.pipe(
    v.unknown(),
    v.rawCheck(({ addIssue }) => addIssue({ message })),
  )
  const key = unknown ?? names[1]
  const schema = key === undefined ? wrong : v.object({ [key]: wrong })
  return schema as unknown as v.GenericSchema<unknown, Step>
}

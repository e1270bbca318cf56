import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { adapterFor } from '../../../core/config/adapters.ts'
import { createJsonSchema } from '../../../core/config/json-schema.ts'
import { mergeOver } from '../../../core/config/layers.ts'
import { normalize } from '../../../core/config/normalize.ts'
import type { Field, JsonSchema } from '../../../core/config/schema/field.ts'
import { configSchema } from '../../../core/config/schema.ts'
import { mapping, mappingAt, plain, put, type Tree } from '../../../core/config/tree.ts'
import { closest } from '../../../core/nearest.ts'
import { loaded } from './fixture.ts'

const hatOf = async (rest: string) =>
  (await loaded({ yaml: `hats: {a: {name: A, description: d, ${rest}}}`, configArgs: [] })).settings.hats[0]

describe('a hat', () => {
  test('has defaults for all that it does not say', async () => {
    expect((await loaded({ yaml: 'hats: {a: {name: A}}' })).settings.hats).toEqual([
      {
        id: 'a',
        name: 'A',
        description: 'A',
        triggers: [],
        publishes: [],
        instructions: '',
        backendArgs: [],
        disallowedTools: [],
        concurrency: 1,
      },
    ])
  })

  test.each([
    ['args: [q]', { backendArgs: ['q'] }],
    ['backend_args: [q]', { backendArgs: ['q'] }],
    ['scratchpad: p.md', { scratchpad: { enabled: true, path: 'p.md' } }],
    ['scratchpad: {enabled: true, path: p.md}', { scratchpad: { enabled: true, path: 'p.md' } }],
    ['scratchpad: {enabled: false}', { scratchpad: { enabled: false, path: '.ralph/agent/scratchpad.md' } }],
    ['instructions: one, extra_instructions: [two, three]', { instructions: 'one\ntwo\nthree' }],
    ['instructions: "one\\n", extra_instructions: [two]', { instructions: 'one\ntwo' }],
    ['extra_instructions: [two]', { instructions: 'two' }],
    ['backend: codex', { backend: { kind: 'named', name: 'codex', args: [] } }],
    ['backend: {type: codex, args: [x]}', { backend: { kind: 'named', name: 'codex', args: ['x'] } }],
    ['backend: {type: kiro, agent: r}', { backend: { kind: 'named', name: 'kiro', args: [], agent: 'r' } }],
    [
      'backend: {command: ./b}',
      { backend: { kind: 'command', command: './b', args: [], promptMode: 'arg' } },
    ],
    [
      'backend: {command: ./b, args: [x], prompt_mode: stdin, prompt_flag: -p}',
      { backend: { kind: 'command', command: './b', args: ['x'], promptMode: 'stdin', promptFlag: '-p' } },
    ],
    [
      'aggregate: {mode: wait_for_all}',
      { aggregate: { mode: 'wait_for_all', timeoutSeconds: 300, timeoutIsSet: false, budgetBytes: 200_000 } },
    ],
    [
      'aggregate: {mode: wait_for_all, timeout: 300, budget_bytes: 5}',
      { aggregate: { mode: 'wait_for_all', timeoutSeconds: 300, timeoutIsSet: true, budgetBytes: 5 } },
    ],
    ['retry: {attempts: 2}', { retry: { attempts: 2 } }],
    ['retry: {on: [crash], backoff_seconds: 0}', { retry: { on: ['crash'], backoffSeconds: 0 } }],
    [
      'isolation: shared, model: m, max_activations: 3, timeout: 9',
      { model: 'm', maxActivations: 3, timeoutSeconds: 9 },
    ],
  ])('{%s}', async (rest, expected) => {
    expect(await hatOf(rest)).toMatchObject(expected)
  })
})

test('retry rules of the run are completed key by key', async () => {
  const { settings } = await loaded({ yaml: 'features: {retry: {attempts: 1}}' })
  expect(settings.features.retry).toEqual({
    attempts: 1,
    on: ['rate_limit', 'overload', 'network', 'locked'],
    backoffSeconds: 10,
  })
})

test('a blank cancellation promise is off', async () => {
  const { settings } = await loaded({ yaml: 'event_loop: {cancellation_promise: " "}' })
  expect(settings.eventLoop).not.toHaveProperty('cancellationPromise')
})

describe('the adapter of a backend', () => {
  const claude = { timeoutSeconds: 3, enabled: false, price: { input: 1, output: 1, cachedInput: 1 } }
  const own = { timeoutSeconds: 7, enabled: true }
  test.each([
    ['its own entry', 'codex', { claude, codex: own }, own],
    ['the entry claude, without its price', 'custom', { claude }, { timeoutSeconds: 3, enabled: false }],
    [
      'the defaults, for the four that v2.10 knew',
      'codex',
      { claude },
      { timeoutSeconds: 900, enabled: true },
    ],
    ['the defaults', 'custom', {}, { timeoutSeconds: 900, enabled: true }],
  ])('is %s', (_, name, adapters, expected) => {
    expect(adapterFor(adapters, name)).toEqual(expected)
  })
})

describe('every key has a reader', () => {
  /** Read before or beside normalising; each has its own test. */
  const ELSEWHERE = [
    '_suppress_warnings',
    'hats.x.args',
    'hats.x.import',
    // One value each: there is nothing to choose yet.
    'hats.x.aggregate.mode',
    'hats.x.isolation',
  ]
  const leaves = leavesOf(configSchema).filter(({ path }) => !ELSEWHERE.includes(path.join('.')))

  test.each(leaves.map(({ path, values }) => [path.join('.'), path, values] as const))(
    '%s',
    (_, path, [one, other]) => {
      const differs = [['type', 't'] as const, ['command', 'c'] as const].some(
        ([key, value]) =>
          JSON.stringify(settingsWith(path, one, { [key]: value })) !==
          JSON.stringify(settingsWith(path, other, { [key]: value })),
      )
      expect(differs).toBe(true)
    },
  )

  test('the walk has seen them', () => {
    expect(leaves.length).toBeGreaterThan(70)
  })
})

test('the JSON Schema names keys, types and limits', () => {
  const schema = createJsonSchema()
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    properties: {
      event_loop: {
        additionalProperties: false,
        properties: { max_iterations: { type: ['integer', 'null'], minimum: 1, maximum: 2_147_483_647 } },
      },
      core: {
        properties: { scratchpad: { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] } },
      },
      features: {
        properties: { strays: { enum: ['wave', 'kill', 'keep', null] }, parallel: { deprecated: true } },
      },
      hats: { propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' } },
    },
  })
  expect(schema.properties).not.toHaveProperty('project')
})

test.each([
  ['max_iteration', 'max_iterations'],
  ['maxIterations', 'max_iterations'],
  ['RUNTIME', 'max_runtime'],
  ['', 'max_cost'],
])('the known word nearest to %j is %j', (word, expected) => {
  expect(closest(word, ['max_runtime', 'max_iterations', 'max_cost'])).toBe(expected)
})

interface Leaf {
  readonly path: readonly string[]
  readonly values: readonly [unknown, unknown]
}

/** Every place of the schema that takes a value, with two values that it takes. */
function leavesOf({ shape }: Field, path: readonly string[] = []): readonly Leaf[] {
  switch (shape.kind) {
    case 'value':
      return [{ path, values: twoOf(shape.json) }]
    case 'list':
      return leavesOf(shape.item, path).map((leaf) => ({ ...leaf, values: [[], [leaf.values[1]]] }))
    case 'section':
      return Object.entries(shape.entries).flatMap(([key, field]) => leavesOf(field, [...path, key]))
    case 'named':
      return leavesOf(shape.value, [...path, 'x'])
    case 'either':
      return [...leavesOf(shape.short, path), ...leavesOf(shape.section, path)]
    default:
      return []
  }
}

function twoOf(json: JsonSchema): readonly [unknown, unknown] {
  if (Array.isArray(json.enum)) return [json.enum[0], json.enum.at(-1)]
  if (json.type === 'boolean') return [true, false]
  return json.type === 'string' ? ['one', 'other'] : [51, 52]
}

/** Settings of a small config in which only the value at `path` is chosen. */
function settingsWith(path: readonly string[], value: unknown, backend: Readonly<Record<string, string>>) {
  const place = { origin: { label: 'test', path: null } }
  const toTree = (from: unknown): Tree => {
    if (Array.isArray(from)) return { kind: 'list', place, items: from.map(toTree) }
    if (typeof from !== 'object' || from === null) return { kind: 'scalar', place, value: from }
    const entries = Object.entries(from).map(
      ([key, one]) => [key, { key: place, value: toTree(one) }] as const,
    )
    return mapping(place, entries)
  }
  const base = toTree({ hats: { x: { name: 'X', backend, aggregate: { mode: 'wait_for_all' } } } })
  if (base.kind !== 'mapping') throw new Error('no mapping')
  const tree = mergeOver(base, [put(mapping(place), path, toTree(value))])
  const ids = [...(mappingAt(tree, ['hats'])?.entries.keys() ?? [])]
  return normalize(v.parse(configSchema, plain(tree)), ids)
}

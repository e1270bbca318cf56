import { describe, expect, test } from 'bun:test'
import { impliedFiles, namedFiles } from '../../../plugins/mock/improvise/find.ts'
import { itemsOf, partsOf } from '../../../plugins/mock/improvise/items.ts'
import { agree, type Move } from '../../../plugins/mock/improvise/moves.ts'
import { oneLine, summaryReport } from '../../../plugins/mock/improvise/report.ts'
import { createRoutes, optionsOf } from '../../../plugins/mock/improvise/routes.ts'
import { fill, type Values } from '../../../plugins/mock/placeholders.ts'
import { graphOf } from './rehearsal.ts'

const FILES = [
  'README.md',
  'src/main.ts',
  'src/storage/disk.ts',
  'src/storage/memory.ts',
  'tests/main.test.ts',
]

describe('files that a text names', () => {
  const NAMED: [text: string, files: readonly string[]][] = [
    ['look at src/main.ts, please', ['src/main.ts']],
    ['look at `./src/main.ts:12:3`.', ['src/main.ts']],
    ['see /home/me/work/src/main.ts', ['src/main.ts']],
    ['disk.ts first, then README.md', ['src/storage/disk.ts', 'README.md']],
    ['all of src/storage/', ['src/storage/disk.ts', 'src/storage/memory.ts']],
    ['all of src/storage', ['src/storage/disk.ts', 'src/storage/memory.ts']],
    ['every src/*.ts', ['src/main.ts']],
    ['every **/*.test.ts', ['tests/main.test.ts']],
    ['**important**: nothing', []],
    ['../etc/passwd and /etc/passwd', []],
    ['the storage module', []],
  ]
  for (const [text, files] of NAMED) test(text, () => expect(namedFiles(text, FILES)).toEqual(files))
})

describe('files that a text implies', () => {
  const IMPLIED: [text: string, files: readonly string[]][] = [
    ['Review the storage module', ['src/storage/disk.ts', 'src/storage/memory.ts']],
    ['memory of the storage', ['src/storage/memory.ts']],
    ['security', []],
    ['Review the code of this project', []],
  ]
  for (const [text, files] of IMPLIED) test(text, () => expect(impliedFiles(text, FILES)).toEqual(files))
})

describe('what a dispatcher makes of an objective', () => {
  const PARTS: [name: string, objective: string, files: readonly string[], parts: readonly string[]][] = [
    [
      'files that it names',
      'README.md and disk.ts and memory.ts',
      FILES,
      ['README.md', 'src/storage/disk.ts', 'src/storage/memory.ts'],
    ],
    [
      'three views of the one file that it names',
      'Fix README.md',
      FILES,
      ['README.md: its size', 'README.md: its open marks', 'README.md: its last change'],
    ],
    ['its list', 'Do:\n- one\n- two\n* three', FILES, ['one', 'two', 'three']],
    ['its lines', 'one\n\ntwo\nthree', FILES, ['one', 'two', 'three']],
    [
      'files that its words point to',
      'the storage module',
      FILES,
      ['src/storage/disk.ts', 'src/storage/memory.ts', 'How the parts before fit together'],
    ],
    [
      'all files, in even shares',
      'anything',
      FILES,
      ['README.md', 'src/main.ts, src/storage/disk.ts', 'src/storage/memory.ts, tests/main.test.ts'],
    ],
    [
      'three generic parts',
      'anything',
      [],
      ['Part 1 of 3: what is wanted', 'Part 2 of 3: what is there', 'Part 3 of 3: what is missing'],
    ],
  ]
  for (const [name, objective, files, parts] of PARTS)
    test(name, () => expect(partsOf(objective, files, 3)).toEqual(parts))

  test('as many items as a hat has workers, from three to twelve', () => {
    const many = Array.from({ length: 40 }, (_, i) => `f${i}.ts`)
    for (const [concurrency, items] of [
      [2, 3],
      [5, 5],
      [50, 12],
    ] as const) {
      const graph = graphOf(`d: x -> i.go\nw: i.go -> i.done; ${concurrency}`)
      const [option] = optionsOf(['i.go'], createRoutes(graph, 'C', undefined).topology)
      const lanes = option?.kind === 'wave' ? option.lanes : []
      expect(itemsOf(lanes, 'anything', many)).toHaveLength(items)
    }
  })

  test('one item for each hat that works one at a time, with the whole objective', () => {
    const graph = graphOf('m: x, made -> pro.go, con.go, C; agg\np: pro.go -> made\nc: con.go -> made')
    const [option] = optionsOf(['pro.go', 'con.go'], createRoutes(graph, 'C', undefined).topology)
    const lanes = option?.kind === 'wave' ? option.lanes : []
    expect(itemsOf(lanes, 'Tabs?', FILES)).toEqual([
      { topic: 'pro.go', payload: 'Tabs?' },
      { topic: 'con.go', payload: 'Tabs?' },
    ])
  })
})

test('topics that form no wave are handed over one at a time', () => {
  const { topology } = createRoutes(graphOf('a: x -> b.go, c.go\nb: b.go -> y\nc: c.go -> z'), 'C', undefined)
  expect(optionsOf(['b.go', 'c.go'], topology).map((option) => option.kind)).toEqual(['pass', 'pass'])
})

test('a cancellation promise is never handed over, nor a human topic', () => {
  const routes = createRoutes(graphOf('a: x -> stop.it, human.ask, b.go, C'), 'C', 'stop.it')
  expect(routes.publishable(['stop.it', 'human.ask', 'b.go', 'C'])).toEqual(['b.go'])
})

test('an agent of several hats completes only if none of them hands over', () => {
  const pass: Move = { kind: 'pass', topic: 't', to: null }
  expect(agree([{ kind: 'complete' }, pass])).toEqual([pass])
  expect(agree([{ kind: 'complete' }, { kind: 'complete' }])).toEqual([{ kind: 'complete' }])
  expect(agree([{ kind: 'rest' }, { kind: 'complete' }])).toEqual([{ kind: 'complete' }])
})

test('a failure that old records show twice is summed up once', () => {
  const report = summaryReport(
    'agg',
    [
      { topic: 'wave.worker.failed', payload: 'Worker 1 failed: timeout' },
      { topic: 'item.done', payload: '## Worker 1 (FAILED)\n\nError: timeout' },
      { topic: 'item.done', payload: '', status: 'ok' },
    ],
    'End.',
  )
  expect(report).toContain('Received: 1 event, 1 failure.')
  expect(report).toContain('(no payload)')
  expect(report.match(/timeout/g)).toHaveLength(1)
})

test('a line is cut between characters', () => {
  expect(oneLine('  日本語\n\ttext 👍🏽 ', 6)).toBe('日本語 t…')
})

test('what is filled in is not read again', () => {
  const values = { payload: '{index}{env.SECRET}', index: '4' } as Values
  expect(fill('{payload}-{index}-{toString}-{ index }', values, { SECRET: 's' })).toBe(
    '{index}{env.SECRET}-4-{toString}-{ index }',
  )
})

import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import {
  readRules,
  refusal,
  rulesFile,
  rulesOf,
  type WorkerRules,
  workerFile,
  writeRules,
} from '../../../core/events-file/rules.ts'
import type { Hat } from '../../../core/hat.ts'
import { folder } from './folder.ts'

const RULES: WorkerRules = {
  hat: 'work',
  allowed: ['item.done', 'note.*', 'LOOP_COMPLETE'],
  refused: ['LOOP_COMPLETE', 'loop.cancel', 'human.*'],
}

describe('a worker may emit', () => {
  test.each([
    ['item.done', null],
    ['note.x', null],
    ['note.x.y', 'outside'],
    ['zzz', 'outside'],
    ['LOOP_COMPLETE', 'control'],
    ['loop.cancel', 'control'],
    ['human.guidance', 'control'],
    ['human.guidance.ack', 'control'],
    ['humans', 'outside'],
  ] as const)('%s: %p', (topic, expected) => {
    expect(refusal(RULES, topic)).toBe(expected)
  })

  test('any topic without `publishes`, but no control topic', () => {
    const free = { ...RULES, allowed: [] }
    expect(refusal(free, 'zzz')).toBeNull()
    expect(refusal(free, 'human.x')).toBe('control')
  })
})

test("a hat's rules allow what it publishes, less control topics", () => {
  const hat: Hat = {
    id: 'work',
    name: 'Work',
    description: 'Work',
    triggers: [],
    publishes: ['item.done', 'LOOP_COMPLETE', 'human.note'],
    instructions: '',
    backendArgs: [],
    disallowedTools: [],
    concurrency: 3,
  }
  expect(rulesOf(hat, { completion: 'LOOP_COMPLETE', cancellation: 'loop.cancel' })).toEqual({
    hat: 'work',
    allowed: ['item.done'],
    refused: ['LOOP_COMPLETE', 'loop.cancel', 'human.*'],
  })
})

describe('the rules file', () => {
  test("lies beside the worker's events file, for its owner alone", () => {
    using at = folder()
    const file = workerFile(at.dir, 'w-1-2-3', 4)
    expect(file).toBe(at.path('wave-w-1-2-3-4.jsonl'))
    writeRules(file, RULES)
    expect(statSync(at.path('wave-w-1-2-3-4.rules.json')).mode & 0o777).toBe(0o600)
    expect(readRules(file)).toEqual(RULES)
  })

  test('is written anew, and not through a link', () => {
    using at = folder()
    const file = workerFile(at.dir, 'w', 0)
    writeFileSync(at.path('victim'), 'precious')
    symlinkSync(at.path('victim'), at.path('wave-w-0.rules.json'))
    writeRules(file, RULES)
    writeRules(file, { ...RULES, allowed: ['other'] })
    expect(readRules(file)?.allowed).toEqual(['other'])
    expect(readFileSync(at.path('victim'), 'utf8')).toBe('precious')
  })

  test.each([['{oops'], ['{"hat":"x","allowed":"all","refused":[]}'], ['null']])(
    'that holds %s restricts nothing: the merge checks again',
    (text) => {
      using at = folder()
      writeFileSync(at.path('wave-w-0.rules.json'), text)
      expect(readRules(workerFile(at.dir, 'w', 0))).toBeNull()
    },
  )

  test('exists only for workers', () => {
    expect(rulesFile('/x/.ralph/events-20260101-000000.jsonl')).toBeNull()
    expect(readRules('/nowhere/wave-w-0.jsonl')).toBeNull()
  })
})

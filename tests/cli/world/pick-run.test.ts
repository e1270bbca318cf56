import { describe, expect, test } from 'bun:test'
import type { KnownRun } from '../../../cli/world/known-runs.ts'
import { pickAmong } from '../../../cli/world/pick-run.ts'

const run = (id: string, workspace = '/w'): KnownRun => ({
  id,
  dir: `/state/${id}`,
  workspace,
  manifest: null,
  problem: null,
})

const ALL = [
  run('primary-20261130-142317-aa3bdda1'),
  run('primary-20261130-142317-aa3bdda1x'),
  run('primary-20261201-080000-7c01ffee'),
  run('wave-20261130-150000-aa77aa77'),
  run('wave-20261130-160000-aa77bb00', '/x'),
]

const pick = (word: string): string => pickAmong(ALL, word, '/w').id

describe('a word names a run', () => {
  test.each([
    ['its id, though another begins with it', 'primary-20261130-142317-aa3bdda1', 'aa3bdda1'],
    ['the beginning of its id', 'primary-20261201', '7c01ffee'],
    ['the beginning of its last part', '7c', '7c01ffee'],
    ['a beginning that fits only one of this workspace', 'wave-', 'aa77aa77'],
    ['a run of another workspace, if none of this one fits', 'aa77b', 'aa77bb00'],
  ])('%s', (_, word, end) => {
    expect(pick(word)).toEndWith(end)
  })

  test('an ambiguous word is an error that lists the runs', () => {
    expect(() => pick('primary-20261130')).toThrow("'primary-20261130' fits 2 runs")
    try {
      pick('primary-20261130')
    } catch (error) {
      expect(error).toMatchObject({ code: 'run_ambiguous', exitCode: 1 })
      expect((error as { hint: string }).hint).toContain('primary-20261130-142317-aa3bdda1x')
    }
  })

  test.each([
    ['primary-20261201-080000-7c01ffef', 'did you mean primary-20261201-080000-7c01ffee?'],
    ['nothing', '`ralph runs --all` lists those that are kept'],
    ['', '`ralph runs --all` lists those that are kept'],
  ])('an unknown word (%p) is an error that says: %s', (word, hint) => {
    expect(() => pick(word)).toThrow(expect.objectContaining({ code: 'no_run', hint }))
  })
})

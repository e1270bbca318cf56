import { describe, expect, test } from 'bun:test'
import { planRetention, type RetentionRule } from '../../../cli/runs/retention.ts'
import type { RunSummary } from '../../../cli/runs/summary.ts'

const HOUR = 3_600_000
const NOW = 1_000 * HOUR

/** A run that ended so many hours ago. */
const run = (id: string, hoursAgo: number, more: Partial<RunSummary> = {}): RunSummary => ({
  run_id: id,
  kind: 'loop',
  workspace: '/w',
  state: 'ended',
  stop_reason: 'completed',
  pid: null,
  started_at: 0,
  last_at: NOW - hoursAgo * HOUR,
  iterations: 1,
  agents_started: 1,
  cost_usd: null,
  cost_source: null,
  agents_without_cost: 1,
  open_waves: [],
  objective: 'X',
  bytes: 1,
  folder: `/state/${id}`,
  problem: null,
  ...more,
})

const open = (unmerged: number): Partial<RunSummary> => ({
  stop_reason: 'interrupted',
  open_waves: [{ wave_id: 'w', settled: unmerged, total: 5, unmerged }],
})

const removed = (runs: readonly RunSummary[], rule: RetentionRule): string[] =>
  planRetention(runs, rule, NOW).remove.map((one) => one.run_id)

const spared = (runs: readonly RunSummary[], rule: RetentionRule): string[] =>
  planRetention(runs, rule, NOW).spared.map(({ run: one, why }) => `${one.run_id}: ${why}`)

describe('which runs go by their age', () => {
  const four = [run('b', 2), run('d', 4), run('a', 1), run('c', 3)]

  test.each<[string, RetentionRule, string[]]>([
    ['--keep leaves the latest, and removes the others, oldest first', { keep: 2 }, ['d', 'c']],
    ['--keep 0 removes all', { keep: 0 }, ['d', 'c', 'b', 'a']],
    ['--keep of more than there are removes none', { keep: 9 }, []],
    ['--older-than removes what is older, not what is just as old', { olderThanMs: 3 * HOUR }, ['d']],
    ['with both, a run goes only if both let it go', { keep: 3, olderThanMs: HOUR }, ['d']],
    ['with both, the age alone removes nothing', { keep: 9, olderThanMs: HOUR }, []],
  ])('%s', (_, rule, expected) => {
    expect(removed(four, rule)).toEqual(expected)
  })

  test('a run in progress stays, however long ago it last gave a sign', () => {
    const runs = [run('a', 1), run('b', 90, { state: 'running', stop_reason: null })]
    expect(removed(runs, { keep: 0 })).toEqual(['a'])
    expect(spared(runs, { keep: 0 })).toEqual(['b: running'])
  })

  test('results that nobody has got yet stay; an open wave without any goes', () => {
    const runs = [run('a', 1, open(3)), run('b', 2, open(0))]
    expect(removed(runs, { keep: 0 })).toEqual(['b'])
    expect(spared(runs, { olderThanMs: 0 })).toEqual(['a: unmerged'])
  })

  test('a damaged run stays, since nobody can tell what is in it', () => {
    const runs = [run('a', 900, { state: 'damaged', problem: 'torn' })]
    expect(removed(runs, { olderThanMs: HOUR })).toEqual([])
    expect(spared(runs, { olderThanMs: HOUR })).toEqual(['a: damaged'])
  })

  test('who is young enough is not told of', () => {
    expect(spared([run('a', 1, open(3))], { olderThanMs: 2 * HOUR })).toEqual([])
  })

  test('--keep counts in each workspace for itself', () => {
    const runs = [
      run('a', 1),
      run('b', 2),
      run('x', 8, { workspace: '/x' }),
      run('y', 9, { workspace: '/x' }),
    ]
    expect(removed(runs, { keep: 1 })).toEqual(['y', 'b'])
  })
})

import { describe, expect, test } from 'bun:test'
import { creditTakenOver } from '../../../cli/runs/handed-on.ts'
import type { RunLook, RunSummary } from '../../../cli/runs/summary.ts'

/** A wave from the shell that began at `at`, with one open wave `w`. */
function look(run_id: string, at: number, of: { paid?: (string | null)[]; takenOver?: string[] }): RunLook {
  const paid = of.paid ?? []
  const wave = { wave_id: 'w', settled: paid.length, total: 9, unmerged: paid.length }
  return {
    summary: { run_id, started_at: at, open_waves: [wave] } as unknown as RunSummary,
    paid: new Map([['w', paid]]),
    takenOver: new Set(of.takenOver ?? []),
  }
}

const unmerged = (...looks: RunLook[]): number[] =>
  creditTakenOver(looks).map((run) => run.open_waves[0]?.unmerged ?? -1)

describe('results that were paid for', () => {
  test('stay unmerged as long as nobody has taken them over', () => {
    expect(unmerged(look('a', 1, { paid: ['a/w/0', 'a/w/1'] }), look('b', 2, { paid: ['b/w/0'] }))).toEqual([
      2, 1,
    ])
  })

  test('are handed on once a later run has taken them over, item by item', () => {
    expect(
      unmerged(look('a', 1, { paid: ['a/w/0', 'a/w/1'] }), look('b', 2, { takenOver: ['a/w/1'] })),
    ).toEqual([1, 0])
  })

  test('that a cut run has taken over itself are not handed on by that', () => {
    const second = look('b', 2, { paid: ['a/w/0', 'b/w/1'], takenOver: ['a/w/0'] })
    expect(unmerged(look('a', 1, { paid: ['a/w/0'] }), second)).toEqual([0, 2])
    const third = look('c', 3, { takenOver: ['a/w/0', 'b/w/1'] })
    expect(unmerged(look('a', 1, { paid: ['a/w/0'] }), second, third)).toEqual([0, 0, 0])
  })

  test('what was under way when a run crashed counts until a later run goes on with the rest', () => {
    const cut = look('a', 1, { paid: ['a/w/0', null] })
    expect(unmerged(cut)).toEqual([2])
    expect(unmerged(cut, look('b', 2, { takenOver: ['a/w/0'] }))).toEqual([0, 0])
  })
})

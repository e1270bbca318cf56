import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { createTopology } from '../../../core/topology.ts'
import { type MergeInput, mergeLines, prepareLines } from '../../../core/wave/merge.ts'
import type { Outcome, Wave, Work } from '../../../core/wave/wave.ts'
import { FAN, failure, read, result, wave } from '../prompt/briefs.ts'

const LATER = '2026-01-01T00:00:09+00:00'

function input(outcomes: readonly Outcome[]): MergeInput {
  const hats = Object.fromEntries(FAN.map((hat) => [hat.id, hat]))
  const more: Partial<Wave> = {
    hats,
    aggregators: ['agg'],
    carried: new Set(),
    chain: { root: 'w-1', stage: 1, ran: ['work'], waiting: [] },
  }
  return {
    wave: wave(outcomes, more),
    topology: createTopology(FAN),
    control: { completion: 'LOOP_COMPLETE' },
    read,
    now: LATER,
  }
}

function settled({ wave }: MergeInput, index: number): Work {
  const work = wave.works[index]
  if (work === undefined) throw new Error(`there is no item ${index}`)
  return work
}

describe('lines that were made ready as their items settled', () => {
  const outcomes = (): readonly Outcome[] => [
    result(['a', 'b "quoted"']),
    failure(),
    result(['c'], { status: 'partial', reason: 'timeout' }),
  ]

  test('are those that the merge would have made, in the same order', () => {
    const plain = input(outcomes())
    const ready = input(outcomes())
    for (const work of ready.wave.works) prepareLines(ready, work)
    expect(mergeLines(ready)).toEqual(mergeLines(plain))
    expect(mergeLines(ready)).toHaveLength(5)
  })

  test('have the time at which they were made, where the agent gave none', () => {
    const one = input([result(['a'])])
    prepareLines({ ...one, now: '2026-01-01T00:00:01+00:00' }, settled(one, 0))
    expect(mergeLines(one)[0]).toContain('"ts":"2026-01-01T00:00:01+00:00"')
  })

  test('are not taken for an item that has settled otherwise since', () => {
    const one = input([result(['old'])])
    prepareLines(one, settled(one, 0))
    settled(one, 0).outcome = result(['new'])
    expect(mergeLines(one).join('')).toContain('"payload":"new"')
  })

  test('are made at the merge where they are long', () => {
    const one = input([result(['x'.repeat(5000)])])
    prepareLines({ ...one, now: 'early' }, settled(one, 0))
    expect(mergeLines(one)[0]).toContain(LATER)
  })

  test('are made at the merge where the payload lies in a file', () => {
    const event = { topic: 'item.done', payload: { path: '/there', bytes: 20_000, sha256: '0' } }
    const one = input([result([], { events: [{ topic: 'item.done', payload: inline('a') }, event] })])
    prepareLines({ ...one, now: 'early' }, settled(one, 0))
    expect(mergeLines(one).join('')).not.toContain('early')
  })
})

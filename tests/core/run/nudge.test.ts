import { describe, expect, test } from 'bun:test'
import type { Hat } from '../../../core/hat.ts'
import { aggregate, dispatch, exits, mergedWave, type Rig, rig, says, waveHats } from './rig.ts'

/** Two topics: a final message alone cannot be a result. */
const TWO: Partial<Hat> = { publishes: ['item.done', 'item.skipped'] }
const HATS = waveHats(TWO, { triggers: ['item.done', 'item.skipped'], ...aggregate(2) })
const OPTIONS = { hats: HATS, loop: { startingEvent: 'work.start' } }
/** An end of a worker whose conversation can be gone on with. */
const FORGETS = { ...says('All fine.'), session: 's-1', costUsd: 1 }
const DEADLINE = { type: 'timer.fired', timer: { kind: 'deadline', wave: 'w-1' } } as const

function forget(options: Parameters<typeof rig>[0] = OPTIONS): Rig {
  const r = rig(options)
  dispatch(r, [
    ['item.go', 'a'],
    ['item.go', 'b'],
  ])
  r.work(2, [], FORGETS)
  return r
}

function lastStart(r: Rig) {
  return r.all('start-agent').at(-1)
}

describe('a worker that ends well without a result', () => {
  test('is asked once more in the same conversation, as the same item with one activation', () => {
    const r = forget()
    expect(r.running()).toEqual([3, 4])
    expect(lastStart(r)).toMatchObject({
      n: 4,
      attempt: 2,
      work: { id: 'w-1/0' },
      brief: { kind: 'nudge', resume: { session: 's-1', usage: null, costUsd: 1 } },
    })
    r.work(4, [['item.skipped', 'late']], { costUsd: 2 })
    r.work(3, [['item.done']], { costUsd: 4 })
    const [first] = mergedWave(r).works
    expect(first?.outcome).toMatchObject({ status: 'ok', remarks: ['asked once more for its result'] })
    expect(first?.cost).toEqual({ usd: 3, source: 'reported' })
    expect(r.state.totals.costUsd).toBe(7)
    expect(r.state.activations.get('work')).toBe(2)
  })

  test.each([
    ['silence again', says('All fine.'), 'empty'],
    ['a crash', exits(1), 'failed'],
    [
      'a rate limit, which is not waited for',
      { failure: { class: 'rate_limit', message: 'slow' } },
      'failed',
    ],
  ] as const)('is asked once only: after %s it is empty, as before', (_, end, then) => {
    const r = forget()
    r.work(4, [], { session: 's-1', ...end })
    expect(r.running()).toEqual([3])
    r.work(3, [['item.done']])
    const [first] = mergedWave(r).works
    expect(first?.outcome).toMatchObject({ status: 'empty', class: 'failure' })
    expect(first?.outcome?.remarks.join()).toStartWith(`asked once more for its result: ${then}`)
  })

  test('keeps a result that it gave before it crashed', () => {
    const r = forget()
    r.work(4, [['item.done', 'x']], exits(1))
    r.work(3, [['item.done']])
    expect(mergedWave(r).works[0]?.outcome?.status).toBe('partial')
  })

  test('is empty at once if its conversation cannot be gone on with', () => {
    const r = rig(OPTIONS)
    dispatch(r, [['item.go', 'a']])
    r.work(2, [], says('All fine.'))
    expect(mergedWave(r).works[0]?.outcome).toMatchObject({ status: 'empty', remarks: [] })
  })

  test('is not asked if its final message is its result, nor after refused topics, nor without a topic', () => {
    const cases = [
      [waveHats(), FORGETS, []],
      [HATS, FORGETS, [['zzz']]],
      [waveHats({ publishes: [] }), FORGETS, []],
      [HATS, { ...FORGETS, ...exits(1) }, []],
    ] as const
    for (const [hats, end, events] of cases) {
      const r = rig({ ...OPTIONS, hats })
      dispatch(r, [['item.go', 'a']])
      r.work(2, events, end)
      expect(mergedWave(r).works[0]?.attempts).toBe(1)
    }
  })

  test('waits for a place like any other item, before those that had no turn', () => {
    const r = rig({ ...OPTIONS, features: { maxConcurrency: 1 } })
    dispatch(r, [
      ['item.go', 'a'],
      ['item.go', 'b'],
    ])
    r.work(2, [], FORGETS)
    expect(r.running()).toEqual([3])
    expect(lastStart(r)?.brief.kind).toBe('nudge')
    r.work(3, [['item.done']])
    expect(lastStart(r)?.brief).toMatchObject({ kind: 'worker', index: 1 })
  })

  test('is empty, and not a timeout, if the deadline passes while it is asked', () => {
    const r = forget()
    r.happen(DEADLINE)
    for (const n of [3, 4]) r.work(n, [], { exitCode: null, signal: 'SIGTERM', stoppedFor: 'wave-deadline' })
    expect(mergedWave(r).works.map((work) => work.outcome?.status)).toEqual(['empty', 'timeout'])
  })

  test('is not asked when nothing further may start', () => {
    const r = rig(OPTIONS)
    dispatch(r, [['item.go', 'a']])
    r.happen({ type: 'stop.asked', how: 'drain' })
    r.work(2, [], FORGETS)
    expect(mergedWave(r).works[0]).toMatchObject({ attempts: 1, outcome: { status: 'empty' } })
  })

  test('runs afresh on --continue if the run was cut while it was asked', () => {
    const cut = forget()
    const r = rig({ ...OPTIONS, earlier: cut.journal })
    const [first] = r.all('start-agent').slice(-2)
    expect(first).toMatchObject({ work: { id: 'w-1/0', nudge: null }, brief: { kind: 'worker' } })
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(mergedWave(r).works.map((work) => work.outcome?.status)).toEqual(['ok', 'ok'])
  })
})

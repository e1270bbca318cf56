import { describe, expect, test } from 'bun:test'
import type { AgentEnd } from '../../../core/agent/end.ts'
import { dispatch, mergedWave, type Rig, rig, waveHats } from './rig.ts'

const START = { startingEvent: 'work.start' }
const SHORT: Partial<AgentEnd> = {
  spawnError: 'cannot start "x": EMFILE',
  shortage: true,
  exitCode: null,
  failure: { class: 'unknown', message: 'EMFILE' },
}

const wave = (count: number, maxConcurrency: number): Rig => {
  const r = rig({ hats: waveHats({ concurrency: 8 }), loop: START, features: { maxConcurrency } })
  dispatch(
    r,
    Array.from({ length: count }, (_, i) => ['item.go', `p${i}`] as const),
  )
  return r
}

/** Indices of the items at work. */
const atWork = (r: Rig): (number | undefined)[] => r.running().map((n) => r.state.running.get(n)?.work.index)

const refuse = (r: Rig, n = r.running().at(-1) ?? 0): void => r.work(n, [], SHORT)

/** Lets the wait of the item pass that was refused alone. */
const waited = (r: Rig): number => {
  const timer = r.all('set-timer').at(-1)
  if (timer?.timer.kind !== 'retry') throw new Error('nothing waits')
  r.pass(timer.ms)
  r.happen({ type: 'timer.fired', timer: timer.timer })
  return timer.ms
}

describe('a start that the machine refuses', () => {
  test('beside others is no attempt: fewer run at once, items keep their order, and it is said once', () => {
    const r = wave(4, 4)
    expect(atWork(r)).toEqual([0, 1, 2, 3])
    const warnings = [3, 2].flatMap((index) => {
      refuse(r, index + 2)
      return r.state.news.filter((news) => news.kind === 'warning')
    })
    expect(warnings.map((news) => news.kind === 'warning' && news.code)).toEqual(['short'])
    expect([atWork(r), r.state.room.limit, r.state.activations.get('work')]).toEqual([[0, 1], 2, 2])
    r.work(2, [['item.done', 'r0']])
    expect(atWork(r)).toEqual([1, 2])
    r.work(3, [['item.done', 'r1']])
    expect(atWork(r)).toEqual([2, 3])
    for (const n of r.running()) r.work(n, [['item.done', `r${n}`]])
    expect(mergedWave(r).works.map(({ outcome, attempts }) => [outcome?.status, attempts])).toEqual(
      Array.from({ length: 4 }, () => ['ok', 1]),
    )
    expect(r.state.activations.get('work')).toBe(4)
  })

  test('leaves the order as it is where the last of several is refused alone and waits', () => {
    const r = wave(3, 2)
    refuse(r, 2)
    refuse(r, 3)
    expect(r.running()).toEqual([])
    waited(r)
    expect(atWork(r)).toEqual([0])
  })

  test('is tried beside others again a minute later, one place at a time', () => {
    const r = wave(8, 3)
    refuse(r)
    expect(r.running()).toHaveLength(2)
    r.work(2, [['item.done', 'r']])
    expect(r.running()).toHaveLength(2)
    r.pass(60_000)
    r.work(3, [['item.done', 'r']])
    expect(r.running()).toHaveLength(3)
  })

  test('alone makes everything wait, longer each time, and then fails the item with the system’s words', () => {
    const r = wave(2, 1)
    const waits = [0, 1, 2, 3].map(() => {
      refuse(r)
      expect(r.running()).toEqual([])
      return waited(r)
    })
    expect(waits).toEqual([1000, 2000, 4000, 8000])
    expect(atWork(r)).toEqual([0])
    refuse(r)
    expect(atWork(r)).toEqual([1])
    r.work(r.running()[0] ?? 0, [['item.done', 'r1']])
    expect(mergedWave(r).works.map(({ outcome }) => [outcome?.status, outcome?.reason])).toEqual([
      ['spawn_failed', 'cannot start "x": EMFILE'],
      ['ok', null],
    ])
  })

  test('when the run is about to end leaves its item to --continue', () => {
    const r = wave(2, 2)
    r.happen({ type: 'stop.asked', how: 'drain' })
    refuse(r)
    r.work(2, [['item.done', 'r0']])
    expect(r.end).toBe('stopped')
    const [open] = r.state.waves.values()
    expect(open?.works.map((work) => work.status)).toEqual(['settled', 'queued'])
  })

  test('of an iteration’s agent is tried again in the same iteration, four times; then the iteration has failed', () => {
    const r = rig({ loop: { maxConsecutiveFailures: 1 } })
    const waits = [0, 1, 2, 3].map(() => {
      r.act([], SHORT)
      const ms = r.all('set-timer').at(-1)?.ms ?? 0
      r.pass(ms)
      r.happen({ type: 'timer.fired', timer: { kind: 'phase' } })
      return ms / 1000
    })
    // Each with up to a quarter more.
    expect(waits).toEqual([1, 2, 4, 8].map((s) => expect.closeTo(s * 1.1, s === 8 ? -1 : 0)))
    expect(r.end).toBeNull()
    r.act([], SHORT)
    expect(r.end).toBe('consecutive_failures')
    expect(r.state.loop?.iteration).toBe(1)
  })
})

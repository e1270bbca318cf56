import { describe, expect, test } from 'bun:test'
import { absorb } from '../../../core/run/absorb.ts'
import { CLEAN, dispatch, type Rig, rig, rigState, waveHats } from './rig.ts'

const START = { startingEvent: 'work.start' }
const GAP = { startGapMs: 200 }

function items(count: number): (readonly [string, string])[] {
  return Array.from({ length: count }, (_, i) => ['item.go', `${i}`] as const)
}

/** The timers for starts, so far. */
function wakes(r: Rig): number[] {
  return r.all('set-timer').flatMap(({ timer, ms }) => (timer.kind === 'start' ? [ms] : []))
}

/** The last of them fires. */
function fire(r: Rig): void {
  const timer = r.all('set-timer').findLast((one) => one.timer.kind === 'start')?.timer
  if (timer === undefined) throw new Error('no such timer was set')
  r.happen({ type: 'timer.fired', timer })
}

describe('agents of a backend that wants a distance between its starts', () => {
  test('start one after the other, the first at once', () => {
    const r = rig({ hats: waveHats(), loop: START, backend: GAP })
    expect(r.running()).toEqual([1])
    r.pass(5000)
    dispatch(r, items(3))
    expect(r.running()).toEqual([2])
    const [ms = 0] = wakes(r)
    expect(ms).toBeGreaterThanOrEqual(200)
    expect(ms).toBeLessThanOrEqual(250)
    r.pass(ms - 1)
    expect(r.running()).toEqual([2])
    r.pass(1)
    fire(r)
    expect(r.running()).toEqual([2, 3])
    expect(wakes(r)).toHaveLength(2)
  })

  test('are waited for in whole milliseconds: a timer that fires a moment too soon sets no other one at once', () => {
    const r = rig({ hats: waveHats(), loop: START, backend: GAP })
    r.pass(5000)
    dispatch(r, items(2))
    const [first = 0] = wakes(r)
    r.pass(first - 0.25)
    fire(r)
    const again = wakes(r).slice(1)
    expect([first, ...again]).toEqual([first, ...again].map(Math.ceil))
    expect(again.every((ms) => ms >= 1)).toBe(true)
    r.pass(again.at(-1) ?? 0)
    fire(r)
    expect(r.running()).toEqual([2, 3])
  })

  test('need no timer where no place is free or nothing waits', () => {
    const r = rig({
      hats: waveHats(),
      loop: START,
      backend: GAP,
      features: { maxConcurrency: 1 },
    })
    r.pass(5000)
    dispatch(r, items(2))
    expect(r.running()).toEqual([2])
    expect(wakes(r)).toEqual([])
  })

  test('keep it between the last worker and the next iteration too', () => {
    const r = rig({ hats: waveHats(), loop: START, backend: GAP })
    r.pass(5000)
    dispatch(r, [...items(1)])
    r.work(2, [['item.done', 'r']])
    expect(r.running()).toEqual([])
    expect(r.all('begin-iteration')).toHaveLength(2)
    r.pass(wakes(r)[0] ?? 0)
    fire(r)
    expect(r.running()).toEqual([3])
  })

  test('do not keep a run from ending', () => {
    const r = rig({ hats: waveHats(), loop: START, backend: GAP })
    r.pass(5000)
    dispatch(r, items(3))
    r.happen({ type: 'stop.asked', how: 'drain' })
    const before = wakes(r).length
    r.work(2, [['item.done', 'r']])
    expect(r.end).toBe('stopped')
    expect(wakes(r)).toHaveLength(before)
  })

  test('start no iteration once the run is to end', () => {
    const r = rig({ hats: waveHats(), loop: START, backend: GAP })
    r.pass(5000)
    dispatch(r, items(1))
    r.work(2, [['item.done', 'r']])
    r.happen({ type: 'stop.asked', how: 'drain' })
    expect(r.end).toBe('stopped')
    expect(r.running()).toEqual([])
    const again = rig({ hats: waveHats(), loop: START, backend: GAP, earlier: r.journal })
    expect(again.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })

  test('start at once after a resumption, whose clock is another', () => {
    const first = rig({ hats: waveHats(), loop: START, backend: GAP })
    first.pass(5000)
    dispatch(first, items(3))
    first.happen({ type: 'stop.asked', how: 'now' })
    first.happen({ type: 'agent.ended', n: 2, end: { ...CLEAN, stoppedFor: 'interrupt' } })
    const r = rig({ hats: waveHats(), loop: START, backend: GAP, earlier: first.journal })
    expect(r.running()).toEqual([3])
  })

  test('leave no timer in the journal, and its fold keeps the same distance', () => {
    const options = { hats: waveHats(), loop: START, backend: GAP }
    const r = rig(options)
    r.pass(5000)
    dispatch(r, items(3))
    r.pass(wakes(r)[0] ?? 0)
    fire(r)
    expect(r.journal.filter((fact) => fact.type === 'timer.fired')).toEqual([])
    const state = rigState(options)
    for (const fact of r.journal) absorb(state, fact)
    expect(state.paces.get('custom')?.notBefore).toBe(r.state.paces.get('custom')?.notBefore)
  })
})

test('agents of a backend that wants none start together', () => {
  const r = rig({ hats: waveHats(), loop: START })
  dispatch(r, items(3))
  expect(r.running()).toEqual([2, 3, 4])
  expect(wakes(r)).toEqual([])
})

describe('while a provider serves nobody', () => {
  const REFUSED = { failure: { class: 'overload', message: '529' } } as const

  test('fresh items wait too, and a timer ends that', () => {
    const r = rig({ hats: waveHats(), loop: START, features: { maxConcurrency: 1 } })
    dispatch(r, items(3))
    r.work(2, [], REFUSED)
    expect(r.running()).toEqual([])
    expect(wakes(r)).toEqual([10_000])
    r.pass(10_000)
    fire(r)
    expect(r.running()).toEqual([3])
    expect(r.state.running.get(3)?.work.index).toBe(1)
  })

  test('the next iteration does not: it waits by its own rule', () => {
    const r = rig({ hats: waveHats({ retry: { attempts: 1 } }), loop: START })
    dispatch(r, items(1))
    r.work(2, [], REFUSED)
    expect(r.running()).toEqual([3])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })
})

test('while a provider pushes back, the last attempt of an item comes after the others and runs alone', () => {
  const r = rig({
    hats: waveHats({ concurrency: 2 }),
    loop: START,
    features: { retry: { attempts: 2, on: ['overload'], backoffSeconds: 1 } },
  })
  dispatch(r, items(4))
  r.work(3, [], { failure: { class: 'overload', message: '529' } })
  r.pass(2000)
  r.happen({ type: 'timer.fired', timer: { kind: 'retry', work: 'w-1/1' } })
  const order = (): number[] => [...r.state.running.values()].map((one) => one.work.index)
  expect(order()).toEqual([0, 2])
  r.work(2, [['item.done', 'r0']])
  r.work(4, [['item.done', 'r2']])
  expect(order()).toContain(3)
  while (order()[0] !== 1) {
    expect(order()).not.toContain(1)
    r.work(r.running()[0] ?? 0, [['item.done', 'r']])
  }
  expect(order()).toEqual([1])
})

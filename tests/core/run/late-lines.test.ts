import { describe, expect, test } from 'bun:test'
import type { Event } from '../../../core/event.ts'
import { dispatch, exits, hat, type Rig, rig, text, waveHats } from './rig.ts'

const START = { startingEvent: 'work.start' }

function line(topic: string, more: Partial<Event> = {}): Event {
  return { topic, payload: { inline: 'late' }, ...more }
}

/** Lines of the main events file, while whatever runs is running. */
function written(r: Rig, ...events: readonly Event[]): void {
  r.happen({ type: 'events.read', events, bad: [], offset: 99, final: false })
}

/** A run whose wave is merged: the aggregator runs. */
function gathered(): Rig {
  const r = rig({ hats: waveHats(), loop: START })
  dispatch(r, [
    ['item.go', 'a'],
    ['item.go', 'b'],
  ])
  for (const n of r.running()) r.work(n, [['item.done', 'r']])
  return r
}

describe('a line in the main file that a worker wrote', () => {
  test('after the merge, on a control topic and with the tag of its wave, does not act on the loop (case 139)', () => {
    const r = gathered()
    written(r, line('LOOP_COMPLETE', { wave: { id: 'w-1', index: 0 } }))
    r.act([])
    expect(r.end).toBeNull()
  })

  test('after the merge, on a topic that its hat may not publish, reaches nobody', () => {
    const r = gathered()
    written(r, line('work.start', { wave: { id: 'w-1', index: 0 } }))
    r.act([['other']])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual([])
  })

  test('after the merge, on a topic of its hat, is an ordinary event', () => {
    const r = gathered()
    written(r, line('item.done', { wave: { id: 'w-1', index: 0 } }))
    r.act([])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })

  test('after its end, without a tag, is ignored', () => {
    const r = gathered()
    written(r, line('LOOP_COMPLETE', { agent: 'primary-1:2' }), line('x', { agent: 'primary-1:2' }))
    r.act([])
    expect(r.end).toBeNull()
    expect(r.state.loop?.seenTopics.has('x')).toBe(false)
  })

  test('by an earlier attempt is no result of the attempt that runs', () => {
    const features = { retry: { attempts: 3, on: ['crash' as const], backoffSeconds: 1 } }
    const r = rig({ hats: waveHats(), loop: START, features })
    dispatch(r, [
      ['item.go', 'a'],
      ['item.go', 'b'],
    ])
    r.work(2, [], exits(1))
    r.happen({ type: 'timer.fired', timer: { kind: 'retry', work: 'w-1/0' } })
    expect(r.running()).toEqual([3, 4])
    written(r, line('item.done', { agent: 'primary-1:2' }), line('item.done', { agent: 'primary-1:4' }))
    expect(r.state.workers.get(4)?.accepted).toHaveLength(1)
    r.work(4, [])
    r.work(3, [['item.done']])
    expect(r.state.workers.size).toBe(0)
  })
})

describe('a dispatch line', () => {
  test('that names four thousand million items is refused at once', () => {
    const r = rig({ hats: waveHats(), loop: START })
    written(r, line('item.go', { wave: { id: 'w-1', index: 0, total: 2 ** 32 - 1 } }))
    r.act([])
    if (r.state.loop?.phase.at === 'awaiting-lines')
      r.happen({ type: 'timer.fired', timer: { kind: 'phase' } })
    const pending = r.state.loop?.current?.letters ?? []
    expect(pending.map((one) => one.kind === 'event' && one.event.topic)).toEqual(['wave.refused'])
  })

  test('with the id of a later stage of a chain beside it does not lose either wave', () => {
    const hats = [
      hat('disp', ['work.start'], ['item.go']),
      hat('work', ['item.go'], ['check.go'], { concurrency: 4 }),
      hat('check', ['check.go'], ['LOOP_COMPLETE', 'done'], { concurrency: 4 }),
    ]
    const r = rig({ hats, loop: START })
    const of = (id: string, index: number) => line('item.go', { wave: { id, index, total: 2 } })
    written(r, of('X', 0), of('X', 1), of('X.2', 0), of('X.2', 1))
    r.act([])
    const [a = 0, b = 0, c = 0, d = 0] = r.running()
    r.work(a, [['check.go', 'a']])
    r.work(b, [['check.go', 'b']])
    expect([...r.state.waves.keys()].sort()).toEqual(['X.2', 'X.3'])
    r.work(c, [['check.go', 'c']])
    r.work(d, [['check.go', 'd']])
    expect([...r.state.waves.keys()].sort()).toEqual(['X.2.2', 'X.3'])
  })
})

describe('what a prompt showed comes again if its iteration fails', () => {
  test('notes of a person too (case 83)', () => {
    const r = rig({ loop: START })
    r.act([['human.note', 'mind the gap'], ['go']])
    r.act([], exits(1))
    const brief = r.all('start-agent').at(-1)?.brief
    const shown =
      brief?.kind === 'iteration'
        ? brief.pending.flatMap((one) => (one.kind === 'event' ? [text(one.event.payload)] : []))
        : []
    expect(shown).toContain('mind the gap')
  })
})

test('a held completion is checked once the failures of its wave are heard, where no aggregator is', () => {
  const hats = [
    hat('disp', ['work.start'], ['item.go', 'LOOP_COMPLETE']),
    hat('work', ['item.go'], ['item.done'], { concurrency: 3 }),
    hat('medic', ['wave.worker.failed'], ['fixed']),
  ]
  const r = rig({ hats, loop: START })
  written(r, line('item.go', { wave: { id: 'w-1', index: 0, total: 1 } }), line('LOOP_COMPLETE'))
  r.act([])
  r.work(2, [], exits(1))
  expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['medic'])
  r.act([['fixed']])
  expect(r.end).toBe('completed')
})

test('with --total-limits, time that earlier invocations used up ends the run before the first iteration (case 92)', () => {
  const r = rig({ loop: { ...START, maxRuntimeSeconds: 10 } })
  r.pass(11_000)
  r.happen({ type: 'stop.asked', how: 'drain' })
  r.act([['x']])
  expect(r.end).toBe('stopped')
  r.happen({ type: 'loop.resumed', objective: null, filed: [], totalLimits: true })
  expect(r.end).toBe('max_runtime')
  expect(r.all('begin-iteration')).toHaveLength(1)
})

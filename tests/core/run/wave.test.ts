import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { received } from '../../../core/wave/gate.ts'
import {
  aggregate,
  CLEAN,
  dispatch,
  dispatchLine,
  exits,
  hat,
  mergedWave,
  rig,
  says,
  text,
  waveHats,
} from './rig.ts'

const START = { startingEvent: 'work.start' }
const ABC = [
  ['item.go', 'a'],
  ['item.go', 'b'],
  ['item.go', 'c'],
] as const

function items(count: number): (readonly [string, string])[] {
  return Array.from({ length: count }, (_, i) => ['item.go', `p${i}`] as const)
}

/** Statuses by index of a merged wave. */
function statuses(wave: ReturnType<typeof mergedWave>): (string | undefined)[] {
  return wave.works.map((work) => work.outcome?.status)
}

/** Index of the item on which an agent works. */
function indexOf(r: ReturnType<typeof rig>, n: number): number {
  return r.state.running.get(n)?.work.index ?? -1
}

describe('a wave', () => {
  test('runs three workers at once, then one iteration of the aggregator sees all results (case 105)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    dispatch(r, ABC)
    expect(r.running()).toEqual([2, 3, 4])
    for (const n of [3, 4, 2]) r.work(n, [['item.done', `r${n}`]])
    const brief = r.all('start-agent').at(-1)?.brief
    expect(brief).toMatchObject({ kind: 'iteration', hats: [{ id: 'agg' }], pending: [{ kind: 'wave' }] })
    expect(mergedWave(r).works.map((work) => text(work.outcome?.events[0]?.payload ?? inline('')))).toEqual([
      'r2',
      'r3',
      'r4',
    ])
    r.act([['LOOP_COMPLETE', 'ok']])
    expect(r.end).toBe('completed')
    expect(r.state.totals.agentsStarted).toBe(5)
    expect(r.all('begin-iteration')).toHaveLength(2)
  })

  test('never has more workers than a hat may have, and fills a free place at once (case 119)', () => {
    const r = rig({ hats: waveHats({ concurrency: 4 }), loop: START })
    dispatch(r, items(10))
    const order: number[] = []
    while (r.running().length > 0 && r.all('merge-wave').length === 0) {
      expect(r.running().length).toBe(Math.min(4, 10 - order.length))
      const n = r.running().at(-1) ?? 0
      order.push(indexOf(r, n))
      r.work(n, [['item.done']])
    }
    expect(order).not.toEqual([...order].sort((a, b) => a - b))
    expect(mergedWave(r).works.map((work) => work.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test.each([
    { what: 'features.max_concurrency', concurrency: 3, most: 2, alive: 2 },
    { what: 'the default of the run', concurrency: 10, most: 8, alive: 8 },
  ])('is bound by $what (case 119)', ({ concurrency, most, alive }) => {
    const r = rig({ hats: waveHats({ concurrency }), loop: START, features: { maxConcurrency: most } })
    dispatch(r, items(10))
    expect(r.running()).toHaveLength(alive)
  })

  test('of four hats with concurrency 1 that feed one aggregator runs all four at the same time (case 108)', () => {
    const debaters = [1, 2, 3, 4].map((i) => hat(`h${i}`, [`h${i}.go`], ['item.done']))
    const disp = hat('disp', ['work.start'], ['h1.go', 'h2.go', 'h3.go', 'h4.go'])
    const agg = hat('agg', ['item.done'], ['LOOP_COMPLETE'], aggregate())
    const r = rig({ hats: [disp, ...debaters, agg], loop: START })
    dispatch(
      r,
      [1, 2, 3, 4].map((i) => [`h${i}.go`, `${i}`] as const),
    )
    expect(r.running()).toHaveLength(4)
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(received(mergedWave(r))).toBe(4)
  })

  test('of one hat with concurrency 1 is no wave: one ordinary iteration gets all events (case 107)', () => {
    const r = rig({ hats: waveHats({ concurrency: 1 }), loop: START })
    dispatch(r, ABC)
    expect(r.running()).toEqual([2])
    const brief = r.all('start-agent').at(-1)?.brief
    expect(brief?.kind === 'iteration' && brief.pending).toHaveLength(3)
  })

  test('one dispatched item is a wave of one, one plain event is none (case 106)', () => {
    const wave = rig({ hats: waveHats(), loop: START })
    dispatch(wave, [['item.go', 'a']])
    expect(wave.all('start-agent').at(-1)?.brief.kind).toBe('worker')
    const plain = rig({ hats: waveHats(), loop: START })
    plain.act([['item.go', 'a']])
    expect(plain.all('start-agent').at(-1)?.brief.kind).toBe('iteration')
  })

  test('and another of the same read run side by side, and none is lost (case 109)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    const lines = ['w-1', 'w-2'].flatMap((id) => [0, 1, 2].map((i) => dispatchLine(id, i, 3)))
    r.happen(
      { type: 'events.read', events: lines, bad: [], offset: 1, final: false },
      { type: 'agent.ended', n: 1, end: CLEAN },
    )
    expect(r.running()).toHaveLength(6)
    for (const n of r.running()) r.work(n, [['item.done']])
    const brief = r.all('start-agent').at(-1)?.brief
    expect(brief?.kind === 'iteration' && brief.pending.map((one) => one.kind)).toEqual(['wave', 'wave'])
  })

  test('forms of two plain events that feed one aggregator (case 110)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    r.act([
      ['item.go', 'a'],
      ['item.go', 'b'],
    ])
    expect(r.running()).toHaveLength(2)
    const [plan] = r.all('resolve-dispatches').flatMap((action) => action.resolution.plans)
    expect(plan?.id).toMatch(/^w-[0-9a-f]+-\d+-\d+$/)
    expect(plan?.items.map((item) => item.index)).toEqual([0, 1])
  })

  test('waits once for missing lines; what is still missing then has that outcome (case 112)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    const lines = [dispatchLine('w-1', 0, 3), dispatchLine('w-1', 1, 4), dispatchLine('w-1', 2, 3)]
    r.happen(
      { type: 'events.read', events: lines, bad: [], offset: 1, final: false },
      { type: 'agent.ended', n: 1, end: CLEAN },
    )
    expect(r.running()).toEqual([])
    r.happen({ type: 'timer.fired', timer: { kind: 'phase' } })
    expect(r.running()).toHaveLength(3)
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(statuses(mergedWave(r))).toEqual(['ok', 'ok', 'ok', 'missing'])
  })

  test.each([
    { what: 'an id that is a path', id: '../x', count: 1, reason: 'letters' },
    { what: 'an id of 129 characters', id: 'x'.repeat(129), count: 1, reason: '128' },
    { what: 'too many items', id: 'w-1', count: 101, reason: 'max_wave_items' },
  ])('with $what is refused, and the next prompt says why (case 113)', ({ id, count, reason }) => {
    const r = rig({ hats: waveHats(), loop: START })
    dispatch(r, items(count), id)
    const brief = r.all('start-agent').at(-1)?.brief
    const refused =
      brief?.kind === 'iteration' && brief.pending[0]?.kind === 'event' ? brief.pending[0].event : null
    expect(refused?.topic).toBe('wave.refused')
    expect(text(refused?.payload ?? inline(''))).toContain(reason)
  })
})

describe('a chain of waves', () => {
  const hats = [
    hat('disp', ['work.start'], ['item.go']),
    hat('work', ['item.go'], ['mid.go'], { concurrency: 3 }),
    hat('mid', ['mid.go'], ['item.done'], { concurrency: 2 }),
    hat('agg', ['item.done'], ['LOOP_COMPLETE'], aggregate()),
  ]

  test('runs results for a parallel hat as the next wave, and carries failures to the aggregator (case 115)', () => {
    const r = rig({ hats, loop: START })
    dispatch(r, ABC)
    r.work(2, [['mid.go', 'm0']])
    r.work(3, [], exits(1))
    r.work(4, [['mid.go', 'm2']])
    expect(r.running().map((n) => indexOf(r, n))).toEqual([0, 2])
    for (const n of r.running()) r.work(n, [['item.done', `d${n}`]])
    const last = mergedWave(r, 'w-1.2')
    expect(statuses(last)).toEqual(['ok', 'failed', 'ok'])
    expect(last.works.map((work) => work.hat)).toEqual(['mid', 'work', 'mid'])
    expect(received(last)).toBe(2)
    expect(r.all('begin-iteration').map(({ hats }) => hats)).toEqual([['disp'], ['agg']])
    const brief = r.all('start-agent').at(-1)?.brief
    expect(brief?.kind === 'iteration' && brief.pending).toHaveLength(1)
  })

  test('ends where nothing goes on, and the aggregator runs all the same', () => {
    const r = rig({ hats, loop: START })
    dispatch(r, ABC)
    for (const n of r.running()) r.work(n, [], exits(1))
    expect(r.all('open-stage')).toEqual([])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })

  test('does not run a hat twice: what would is an ordinary event', () => {
    const loops = hats.map((one) =>
      one.id === 'mid' ? { ...one, publishes: ['item.go', 'item.done'] } : one,
    )
    const r = rig({ hats: loops, loop: START })
    dispatch(r, [
      ['item.go', 'a'],
      ['item.go', 'b'],
    ])
    for (const n of r.running()) r.work(n, [['mid.go']])
    for (const n of r.running()) r.work(n, [['item.go']])
    expect(r.all('open-stage')).toHaveLength(1)
    expect(r.all('begin-iteration').at(-1)?.hats).toContain('work')
  })
})

describe('outcomes', () => {
  test('of five workers: a failure, silence, a timeout after an event, and success', () => {
    const r = rig({ hats: waveHats({ concurrency: 5, timeoutSeconds: 1 }), loop: START })
    dispatch(r, items(5))
    const [fails, silent, late, leaves, fine] = r.running() as [number, number, number, number, number]
    r.work(fails, [], exits(7, 'boom'))
    r.work(silent, [])
    r.happen({ type: 'agent.lapsed', n: late, which: 'limit' })
    expect(r.all('stop-agent')).toMatchObject([{ n: late, cause: 'worker-timeout' }])
    r.work(late, [['item.done', 'x']], { exitCode: null, signal: 'SIGTERM', stoppedFor: 'worker-timeout' })
    r.work(leaves, [['item.done', 'y']], { strays: [{ pid: 99, command: 'sleep 300' }] })
    r.work(fine, [['item.done', 'z']])
    const outcomes = mergedWave(r).works.map((work) => work.outcome)
    expect(outcomes.map((one) => one?.status)).toEqual(['failed', 'empty', 'partial', 'ok', 'ok'])
    expect(outcomes[0]?.reason).toBe('exit code 7: boom')
    expect(outcomes[2]).toMatchObject({ reason: 'timeout', timeoutSeconds: 1 })
    expect(outcomes[3]?.remarks).toEqual(['left behind: sleep 300 (pid 99)'])
  })

  test('the deadline ends running workers, and waiting items never start (case 127)', () => {
    const r = rig({ hats: waveHats({}, aggregate(2)), loop: START })
    dispatch(r, items(6))
    expect(r.all('set-timer')).toContainEqual({
      kind: 'set-timer',
      timer: { kind: 'deadline', wave: 'w-1' },
      ms: 2000,
    })
    const [first, ...others] = r.running()
    r.work(first ?? 0, [['item.done']])
    others.push(r.running().at(-1) ?? 0)
    r.happen({ type: 'timer.fired', timer: { kind: 'deadline', wave: 'w-1' } })
    for (const n of others) r.work(n, [], { exitCode: null, signal: 'SIGTERM', stoppedFor: 'wave-deadline' })
    const wave = mergedWave(r)
    expect(statuses(wave)).toEqual(['ok', 'timeout', 'timeout', 'timeout', 'timeout', 'timeout'])
    expect(wave.works[5]?.outcome).toMatchObject({ reason: 'never started (deadline)', timeoutSeconds: 2 })
  })

  test('of a wave that fails as a whole: the aggregator runs all the same (case 135)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    dispatch(r, ABC)
    for (const n of r.running()) r.work(n, [], { spawnError: 'ENOENT: ./missing' })
    expect(statuses(mergedWave(r))).toEqual(['spawn_failed', 'spawn_failed', 'spawn_failed'])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })

  test('activations run out: the lowest indices run (case 136)', () => {
    const r = rig({ hats: waveHats({ maxActivations: 3 }), loop: START })
    dispatch(r, items(5))
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(statuses(mergedWave(r))).toEqual(['ok', 'ok', 'ok', 'exhausted', 'exhausted'])
    expect(r.state.activations.get('work')).toBe(3)
  })

  test('results for an aggregator whose activations are used up are not kept for ever', () => {
    const r = rig({
      hats: waveHats({}, { maxActivations: 1, publishes: ['item.go', 'LOOP_COMPLETE'] }),
      loop: START,
    })
    for (const id of ['w-1', 'w-2', 'w-3']) {
      dispatch(r, ABC, id)
      for (const n of r.running()) r.work(n, [['item.done']])
    }
    r.act([['note', 'x']])
    expect(r.state.merged.size).toBe(0)
  })

  test('an overloaded item runs again as the same item, with one activation (case 178)', () => {
    const r = rig({
      hats: waveHats(),
      loop: START,
      features: { retry: { attempts: 3, on: ['overload'], backoffSeconds: 1 } },
    })
    dispatch(r, ABC)
    r.work(3, [], { failure: { class: 'overload', message: 'full' } })
    expect(r.all('set-timer').at(-1)?.timer).toEqual({ kind: 'retry', work: 'w-1/1' })
    expect(r.running()).toEqual([2, 4])
    r.pass(1000)
    r.happen({ type: 'timer.fired', timer: { kind: 'retry', work: 'w-1/1' } })
    expect(r.running()).toEqual([2, 4, 5])
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(statuses(mergedWave(r))).toEqual(['ok', 'ok', 'ok'])
    expect(mergedWave(r).works[1]?.attempts).toBe(2)
    expect(r.state.activations.get('work')).toBe(3)
  })

  test('while a provider pushes back fewer workers run, and successes let it recover', () => {
    const r = rig({ hats: waveHats({ concurrency: 8 }), loop: START })
    dispatch(r, items(20))
    expect(r.running()).toHaveLength(8)
    r.work(r.running()[0] ?? 0, [], { failure: { class: 'rate_limit', message: 'slow down' } })
    expect(r.running()).toHaveLength(7)
    while (r.running().length > 4) r.work(r.running()[0] ?? 0, [], exits(1))
    r.work(r.running()[0] ?? 0, [], exits(1))
    expect(r.running()).toHaveLength(4)
    r.work(r.running()[0] ?? 0, [['item.done']])
    expect(r.running()).toHaveLength(5)
  })

  test('an auth failure stops further starts, keeps the wave open and ends the run (case 177)', () => {
    const r = rig({ hats: waveHats(), loop: START, backend: { login: 'type /login' } })
    dispatch(r, items(6))
    const [w0, w1, w2] = r.running() as [number, number, number]
    r.work(w1, [], { failure: { class: 'auth', message: 'no key' } })
    expect(r.running()).toEqual([w0, w2])
    r.work(w0, [['item.done']])
    r.work(w2, [['item.done']])
    expect(r.end).toBe('backend_unavailable')
    expect(r.state.stop?.trouble).toEqual({ backend: 'custom', class: 'auth', login: 'type /login' })
    expect(r.all('merge-wave')).toEqual([])
    expect(r.state.waves.get('w-1')?.settled).toBe(2)
  })
})

describe('guardrails', () => {
  test('a worker publishes only what its hat may; control topics never act on the loop (case 139)', () => {
    const r = rig({ hats: waveHats(), loop: { ...START, cancellationPromise: 'loop.cancel' } })
    dispatch(r, [
      ['item.go', 'a'],
      ['item.go', 'b'],
    ])
    r.work(2, [['LOOP_COMPLETE'], ['loop.cancel'], ['human.guidance'], ['zzz'], ['item.done', 'r']])
    r.work(3, [['zzz']], says('some text'))
    const [first, second] = mergedWave(r).works.map((work) => work.outcome)
    expect(first).toMatchObject({ status: 'ok' })
    expect(first?.events.map((event) => event.topic)).toEqual(['item.done'])
    expect(first?.remarks).toEqual(['refused topics: LOOP_COMPLETE, loop.cancel, human.guidance, zzz'])
    expect(second?.status).toBe('scope_violation')
    expect(r.end).toBeNull()
  })

  test('a dispatcher does not run lines outside its publishes (case 140)', () => {
    const r = rig({ hats: [...waveHats(), hat('other', ['other.go'], [])], loop: START })
    dispatch(r, [
      ['item.go', 'a'],
      ['other.go', 'b'],
      ['item.go', 'c'],
    ])
    expect(r.running()).toHaveLength(2)
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(statuses(mergedWave(r))).toEqual(['ok', 'scope_violation', 'ok'])
    const brief = r.all('start-agent').at(-1)?.brief
    const topics =
      brief?.kind === 'iteration'
        ? brief.pending.flatMap((one) => (one.kind === 'event' ? [one.event.topic] : []))
        : []
    expect(topics).toEqual(['disp.scope_violation'])
  })

  test('a line that a worker wrote into the main file counts as its own (case 195)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    dispatch(r, ABC)
    const line = { topic: 'item.done', payload: inline('r1'), agent: 'primary-1:3' }
    r.happen({ type: 'events.read', events: [line], bad: [], offset: 2, final: false })
    for (const n of r.running()) r.work(n, n === 3 ? [] : [['item.done']])
    expect(mergedWave(r).works[1]?.outcome).toMatchObject({
      status: 'ok',
      events: [{ payload: inline('r1') }],
    })
  })
})

describe('completion and stops around a wave', () => {
  test('a completion beside a dispatch is held until the results are consumed (case 143)', () => {
    const r = rig({ hats: waveHats(), loop: START })
    const lines = [
      dispatchLine('w-1', 0, 2),
      dispatchLine('w-1', 1, 2),
      { topic: 'LOOP_COMPLETE', payload: inline('') },
    ]
    r.happen(
      { type: 'events.read', events: lines, bad: [], offset: 1, final: false },
      { type: 'agent.ended', n: 1, end: CLEAN },
    )
    for (const n of r.running()) r.work(n, [['item.done']])
    expect(r.end).toBeNull()
    r.act([], says('hi'))
    expect(r.end).toBe('completed')
    expect(r.state.loop?.completion?.payload).toEqual(inline('hi'))
  })

  test('a cancellation beside a dispatch: no worker starts (case 143)', () => {
    const r = rig({ hats: waveHats(), loop: { ...START, cancellationPromise: 'loop.cancel' } })
    const lines = [dispatchLine('w-1', 0, 1), { topic: 'loop.cancel', payload: inline('') }]
    r.happen(
      { type: 'events.read', events: lines, bad: [], offset: 1, final: false },
      { type: 'agent.ended', n: 1, end: CLEAN },
    )
    expect(r.end).toBe('cancelled')
    expect(r.state.totals.agentsStarted).toBe(1)
  })

  test('a spent budget lets running workers finish and leaves the wave open (case 137)', () => {
    const r = rig({ hats: waveHats(), loop: { ...START, maxCostUsd: 1.2 } })
    dispatch(r, items(6), 'w-1', { costUsd: 0.5 })
    const [w0, w1, w2] = r.running() as [number, number, number]
    r.work(w0, [['item.done']], { costUsd: 0.5 })
    expect(r.running()).toHaveLength(3)
    r.work(w1, [['item.done']], { costUsd: 0.5 })
    expect(r.running()).toHaveLength(2)
    for (const n of [w2, ...r.running()].filter((n, i, all) => all.indexOf(n) === i))
      r.work(n, [['item.done']], { costUsd: 0.5 })
    expect(r.end).toBe('max_cost')
    expect(r.all('merge-wave')).toEqual([])
  })

  test('an interrupt ends all workers and merges nothing (case 144)', () => {
    const r = rig({ hats: waveHats({ concurrency: 4 }), loop: START })
    dispatch(r, items(4))
    const [w0, ...others] = r.running()
    r.work(w0 ?? 0, [['item.done']])
    r.happen({ type: 'stop.asked', how: 'now', signal: 'SIGINT' })
    expect(r.all('stop-agent').map(({ n }) => n)).toEqual(others)
    for (const n of others) r.work(n, [], { exitCode: null, signal: 'SIGTERM', stoppedFor: 'interrupt' })
    expect(r.end).toBe('interrupted')
    expect(r.all('merge-wave')).toEqual([])
    expect(statuses(r.state.waves.get('w-1') as never)).toEqual(['ok', 'cancelled', 'cancelled', 'cancelled'])
  })

  test('workers that fail are no failed iterations, and equal results are never stale (case 138)', () => {
    const r = rig({ hats: waveHats({}, { publishes: ['item.go', 'LOOP_COMPLETE'] }), loop: START })
    for (const round of [1, 2, 3]) {
      dispatch(r, ABC, `w-${round}`)
      for (const n of r.running()) r.work(n, [], exits(1))
    }
    expect(r.end).toBeNull()
    expect(r.state.loop?.counters.failures).toBe(0)
  })
})

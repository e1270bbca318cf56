import { describe, expect, test } from 'bun:test'
import { absorb } from '../../../core/run/absorb.ts'
import type { Fact, FactBody } from '../../../core/run/fact.ts'
import {
  CLEAN,
  dispatch,
  dispatchLine,
  exits,
  hat,
  mergedWave,
  type Rig,
  rig,
  rigState,
  text,
  waveHats,
} from './rig.ts'

/** Faults that the simulation (tests/sim) found first, each in its smallest form. */

const START = { startingEvent: 'work.start' }
const REFUSED = { failure: { class: 'rate_limit', message: '429' } } as const

function items(count: number): (readonly [string, string])[] {
  return Array.from({ length: count }, (_, i) => ['item.go', `${i}`] as const)
}

function statuses(r: Rig, id = 'w-1') {
  return mergedWave(r, id).works.map((work) => work.outcome?.status)
}

describe('a deadline', () => {
  test('that had passed when the run was cut starts anew: what was cut runs again (case 144)', () => {
    const options = { hats: waveHats({ concurrency: 1 }, {}), loop: START, features: { maxConcurrency: 2 } }
    const hats = options.hats.map((one) => (one.id === 'work' ? { ...one, concurrency: 2 } : one))
    const first = rig({ ...options, hats })
    dispatch(first, items(2))
    first.happen({ type: 'timer.fired', timer: { kind: 'deadline', wave: 'w-1' } })
    const r = rig({ ...options, hats, earlier: first.journal })
    expect(r.running()).toHaveLength(2)
    for (const n of r.running()) r.work(n, [['item.done', `r${n}`]])
    expect(statuses(r)).toEqual(['ok', 'ok'])
  })

  test('that passes after the last item was settled is no reason of the wave, now or after a crash', () => {
    const options = { hats: waveHats(), loop: START }
    const r = rig(options)
    dispatch(r, items(2))
    for (const n of [2, 3]) {
      r.happen({
        type: 'worker.read',
        n,
        events: [{ topic: 'item.done', payload: { inline: 'r' } }],
        bad: [],
      })
    }
    r.happen(
      { type: 'agent.ended', n: 2, end: CLEAN },
      { type: 'agent.ended', n: 3, end: CLEAN },
      { type: 'timer.fired', timer: { kind: 'deadline', wave: 'w-1' } },
    )
    expect(mergedWave(r).deadlinePassed).toBe(false)
    const state = rigState(options)
    for (const fact of r.journal) absorb(state, fact)
    expect(state.merged.get('w-1')?.deadlinePassed).toBe(false)
  })
})

describe('what is told twice', () => {
  test('judges an iteration once', () => {
    const r = rig({ hats: [hat('a', ['work.start'], ['b.go']), hat('b', ['b.go'], [])], loop: START })
    r.act([['b.go', '1']])
    expect(r.running()).toEqual([2])
    r.happen({ type: 'iteration.closed', iteration: 1 })
    expect(r.running()).toEqual([2])
    expect(r.state.activations.get('a')).toBe(1)
  })
})

describe('a run that is over', () => {
  test('does not wait for the cooldown', () => {
    const r = rig({ loop: { cooldownDelaySeconds: 60 } })
    r.act([['LOOP_COMPLETE', 'ok']])
    expect(r.end).toBe('completed')
  })

  test.each([
    ['completed', 'LOOP_COMPLETE'],
    ['cancelled', 'LOOP_CANCEL'],
  ] as const)('is %s also if it was cut before it could say so', (reason, topic) => {
    const options = { hats: waveHats(), loop: { ...START, cancellationPromise: 'LOOP_CANCEL' } }
    const first = rig(options)
    first.act([[topic]])
    expect(first.end).toBe(reason)
    const earlier = first.journal.filter((fact) => fact.type !== 'run.ended')
    const r = rig({ ...options, earlier })
    expect(r.end).toBe(reason)
    expect(r.all('start-agent')).toEqual([])
  })

  test('takes no dispatch of its cancelled iteration up when it goes on with a new objective', () => {
    const options = { hats: waveHats(), loop: { ...START, cancellationPromise: 'LOOP_CANCEL' } }
    const first = rig(options)
    first.happen(
      {
        type: 'events.read',
        events: [dispatchLine('w-1', 0, 1), { topic: 'LOOP_CANCEL', payload: { inline: '' } }],
        bad: [],
        offset: 2,
        final: false,
      },
      { type: 'agent.ended', n: 1, end: CLEAN },
    )
    expect(first.end).toBe('cancelled')
    const r = rig({ ...options, earlier: first.journal, objective: 'Y' })
    r.act([['work.start', 'again']])
    expect(r.state.knownWaves.size).toBe(0)
  })
})

describe('limits', () => {
  test('max_agents binds the agents of an iteration whose provider is waited for, too', () => {
    const r = rig({ features: { maxAgents: 2 } })
    r.act([], REFUSED)
    r.happen({ type: 'timer.fired', timer: { kind: 'phase' } })
    r.act([], REFUSED)
    expect(r.end).toBe('max_agents')
    expect(r.state.totals.agentsStarted).toBe(2)
  })

  test('max_activations counts the iteration at work before the items that it dispatches to its own hat (case 136)', () => {
    const self = hat('work', ['work.start', 'item.go'], ['item.go', 'item.done'], {
      concurrency: 3,
      maxActivations: 3,
    })
    const r = rig({ hats: [self, ...waveHats().slice(2)], loop: START })
    dispatch(r, items(3))
    for (const n of r.running()) r.work(n, [['item.done', '1']])
    expect(statuses(r)).toEqual(['ok', 'ok', 'exhausted'])
    expect(r.state.activations.get('work')).toBe(3)
  })

  test('max_activations holds over stages that open while other waves of that hat still wait', () => {
    const hats = [
      hat('disp', ['work.start'], ['item.go', 'mid.go']),
      hat('work', ['item.go'], ['mid.go'], { concurrency: 2 }),
      hat('mid', ['mid.go'], ['item.done'], { concurrency: 2, maxActivations: 3 }),
      ...waveHats().slice(2),
    ]
    const r = rig({ hats, loop: START, features: { maxConcurrency: 1 } })
    const lines = [dispatchLine('w-1', 0, 1), dispatchLine('w-1', 1, 1)].concat(
      [0, 1].map((i) => dispatchLine('w-2', i, 2, 'mid.go')),
    )
    r.happen(
      { type: 'events.read', events: lines, bad: [], offset: 4, final: false },
      { type: 'agent.ended', n: 1, end: CLEAN },
    )
    for (let n = 2; n <= 3; n++) r.work(n, [['mid.go', `${n}`]])
    for (let n = r.running()[0]; n !== undefined && r.running().includes(n); n = r.running()[0]) {
      if (r.state.running.get(n)?.work.hat !== 'mid') break
      r.work(n, [['item.done', `${n}`]])
    }
    expect(r.state.activations.get('mid')).toBe(3)
    expect([...statuses(r, 'w-1.2'), ...statuses(r, 'w-2')].sort()).toEqual(['exhausted', 'ok', 'ok', 'ok'])
  })
})

test('max_activations holds over two chains that go on at the same moment', () => {
  const hats = [
    hat('disp', ['work.start'], ['item.go']),
    hat('work', ['item.go'], ['mid.go'], { concurrency: 2 }),
    hat('mid', ['mid.go'], ['item.done'], { concurrency: 2, maxActivations: 1 }),
    ...waveHats().slice(2),
  ]
  const r = rig({ hats, loop: START })
  r.happen(
    {
      type: 'events.read',
      events: [dispatchLine('w-1', 0, 1), dispatchLine('w-2', 0, 1)],
      bad: [],
      offset: 2,
      final: false,
    },
    { type: 'agent.ended', n: 1, end: CLEAN },
  )
  const results = [2, 3].map((n): FactBody => {
    return { type: 'worker.read', n, events: [{ topic: 'mid.go', payload: { inline: `${n}` } }], bad: [] }
  })
  r.happen(...results, { type: 'agent.ended', n: 2, end: CLEAN }, { type: 'agent.ended', n: 3, end: CLEAN })
  for (const n of r.running()) r.work(n, [['item.done', 'done']])
  expect(r.state.activations.get('mid')).toBe(1)
  expect([...statuses(r, 'w-1.2'), ...statuses(r, 'w-2.2')]).toEqual(['ok', 'exhausted'])
})

test('results for a hat that has run in the chain reach it, also from a stage that another one follows', () => {
  const hats = [
    hat('disp', ['work.start'], ['item.go']),
    hat('work', ['item.go'], ['mid.go', 'item.go'], { concurrency: 2 }),
    hat('mid', ['mid.go'], ['item.done'], { concurrency: 2 }),
    ...waveHats().slice(2),
  ]
  const r = rig({ hats, loop: START })
  dispatch(r, items(2))
  r.work(2, [['mid.go', 'for the next stage']])
  r.work(3, [['item.go', 'for its own hat']])
  r.work(4, [['item.done', 'done']])
  const brief = r.all('start-agent').at(-1)?.brief
  const shown =
    brief?.kind !== 'iteration'
      ? []
      : brief.pending.flatMap((one) =>
          one.kind === 'wave' ? one.wave.works.flatMap((work) => work.outcome?.events ?? []) : [],
        )
  expect(shown.map((event) => text(event.payload))).toContain('for its own hat')
})

describe('a config that was edited between two invocations', () => {
  const began = { hats: waveHats(), loop: START, features: {} }

  test('does not judge what is journalled: an item that was tried again stays tried again', () => {
    const first = rig(began)
    dispatch(first, items(2))
    first.work(2, [], REFUSED)
    first.happen({ type: 'timer.fired', timer: { kind: 'retry', work: 'w-1/0' } })
    // The provider holds back: the retry starts when the other one has ended.
    first.work(3, [['item.done', 'r1']])
    expect(first.running()).toEqual([4])
    const once = { attempts: 1, on: ['rate_limit'] as const, backoffSeconds: 1 }
    const r = rig({ ...began, features: { retry: once }, began, earlier: first.journal })
    r.work(5, [['item.done', 'r0']])
    expect(statuses(r)).toEqual(['ok', 'ok'])
  })

  test('delivers the results of a chain whose next hat it no longer has', () => {
    const chain = [
      hat('disp', ['work.start'], ['item.go']),
      hat('work', ['item.go'], ['mid.go'], { concurrency: 2 }),
      hat('mid', ['mid.go'], ['item.done'], { concurrency: 2 }),
      ...waveHats().slice(2),
    ]
    const first = rig({ hats: chain, loop: START })
    dispatch(first, items(1))
    first.work(2, [['mid.go', 'half done']])
    const merged = first.journal.findIndex((fact) => fact.type === 'wave.merged')
    const earlier: readonly Fact[] = first.journal.slice(0, merged + 1)
    const r = rig({
      hats: chain.filter((one) => one.id !== 'mid'),
      loop: START,
      began: { hats: chain, loop: START },
      earlier,
    })
    expect([...r.state.knownWaves]).toEqual(['w-1'])
    const brief = r.all('start-agent').at(-1)?.brief
    expect(brief?.kind === 'iteration' && brief.pending.map((one) => one.kind)).toContain('wave')
  })
})

describe('the fold refuses to believe', () => {
  const wave = (): Rig => {
    const r = rig({ hats: waveHats({ concurrency: 2 }), loop: START, features: { maxAgents: 4 } })
    dispatch(r, items(3))
    return r
  }
  const tell = (r: Rig, fact: Record<string, unknown>): (() => void) => {
    return () => absorb(r.state, { at: 1, mono: 1, ...fact } as unknown as Fact)
  }

  test('a start above the concurrency of a hat', () => {
    const start = tell(wave(), { type: 'agent.intended', n: 4, work: 'w-1/2', attempt: 1 })
    expect(start).toThrow('above the concurrency of work')
  })

  test('a start above max_agents, or out of turn', () => {
    const r = wave()
    expect(tell(r, { type: 'agent.intended', n: 6, work: 'w-1/2', attempt: 1 })).toThrow('after 3 others')
    r.work(2, [], exits(1))
    expect(tell(r, { type: 'agent.intended', n: 5, work: 'w-1/2', attempt: 1 })).toThrow('max_agents is 4')
  })

  test('a merge before all items are settled', () => {
    expect(tell(wave(), { type: 'wave.merged', wave: 'w-1', change: null })).toThrow(
      'before all of its items',
    )
  })

  test('an end beside running agents', () => {
    expect(tell(wave(), { type: 'run.ended', reason: 'stopped' })).toThrow('2 agents running')
  })
})

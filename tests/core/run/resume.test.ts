import { describe, expect, test } from 'bun:test'
import type { Fact } from '../../../core/run/fact.ts'
import { CLEAN, dispatch, exits, hat, type Rig, rig, says, waveHats } from './rig.ts'

const START = { startingEvent: 'work.start' }
const CHAIN = [hat('a', ['work.start'], ['b.go']), hat('b', ['b.go'], ['LOOP_COMPLETE'])]

function lastHats(r: Rig) {
  return r.all('begin-iteration').at(-1)?.hats
}

describe('a resumed run', () => {
  test('goes on with events of the iteration that hit a limit (case 91)', () => {
    const first = rig({ hats: CHAIN, loop: { ...START, maxIterations: 1 } })
    first.act([['b.go', '1']])
    expect(first.end).toBe('max_iterations')
    const r = rig({ hats: CHAIN, loop: { ...START, maxIterations: 1 }, earlier: first.journal })
    expect(lastHats(r)).toEqual(['b'])
    const brief = r.all('start-agent').at(-1)?.brief
    const topics =
      brief?.kind === 'iteration' ? brief.pending.map((one) => one.kind === 'event' && one.event.topic) : []
    expect(topics).toEqual(['b.go'])
    expect(r.all('begin-iteration').at(-1)?.iteration).toBe(2)
  })

  test('counts cost over all invocations: a spent budget ends it without a start (case 92)', () => {
    const limited = { hats: CHAIN, loop: { ...START, maxCostUsd: 0.9 } }
    const first = rig(limited)
    first.act([['b.go', '1']], { costUsd: 1 })
    expect(first.end).toBe('max_cost')
    expect(rig({ ...limited, earlier: first.journal }).end).toBe('max_cost')
    expect(rig({ hats: CHAIN, loop: { ...START, maxCostUsd: 2 }, earlier: first.journal }).running()).toEqual(
      [2],
    )
  })

  test('runs a cut iteration again with the same events (case 93)', () => {
    const first = rig({ hats: CHAIN, loop: START })
    first.act([['b.go', '1']])
    const r = rig({ hats: CHAIN, loop: START, earlier: first.journal })
    expect(lastHats(r)).toEqual(['b'])
    expect(r.state.activations.get('b')).toBeUndefined()
    r.act([['LOOP_COMPLETE', 'ok']])
    expect(r.end).toBe('completed')
  })

  test('does not lose what a cut iteration had emitted, and does not take it for the word of the next one (case 93)', () => {
    const first = rig({ hats: CHAIN, loop: START })
    first.happen({
      type: 'events.read',
      events: [{ topic: 'b.go', payload: { inline: '1' } }],
      bad: [],
      offset: 9,
      final: false,
    })
    const r = rig({ hats: CHAIN, loop: START, earlier: first.journal })
    r.act([], exits(1))
    expect(r.state.loop?.counters.failures).toBe(1)
    expect(lastHats(r)).toContain('b')
  })

  test('runs only the unfinished items of a wave; one that had emitted is partial (case 144)', () => {
    const options = { hats: waveHats({ concurrency: 4 }), loop: START }
    const first = rig(options)
    dispatch(
      first,
      [0, 1, 2, 3].map((i) => ['item.go', `${i}`] as const),
    )
    first.work(2, [['item.done', 'r0']])
    first.happen({
      type: 'worker.read',
      n: 3,
      events: [{ topic: 'item.done', payload: { inline: 'r1' } }],
      bad: [],
    })
    first.happen({ type: 'stop.asked', how: 'now', signal: 'SIGINT' })
    for (const n of first.running()) {
      first.happen({
        type: 'agent.ended',
        n,
        end: { ...CLEAN, signal: 'SIGTERM', exitCode: null, stoppedFor: 'interrupt' },
      })
    }
    expect(first.end).toBe('interrupted')
    const r = rig({ ...options, earlier: first.journal })
    expect(r.running().map((n) => r.state.running.get(n)?.work.index)).toEqual([2, 3])
    for (const n of r.running()) r.work(n, [['item.done', `again${n}`]])
    const wave = r.all('merge-wave').at(-1)?.wave
    expect(wave?.works.map((work) => [work.outcome?.status, work.outcome?.reason])).toEqual([
      ['ok', null],
      ['partial', 'interrupted'],
      ['ok', null],
      ['ok', null],
    ])
    expect(r.state.activations.get('work')).toBe(4)
  })
})

/** Plays a run to its end: a dispatcher, workers of which one fails, a chain of two stages, an aggregator. */
function play(r: Rig): void {
  for (let turn = 0; r.end === null && turn < 100; turn++) {
    const n = r.running()[0] ?? 0
    const work = r.state.running.get(n)?.work
    if (work === undefined) throw new Error(`stuck in ${r.state.loop?.phase.at}`)
    if (work.wave !== null) {
      if (work.index === 1) r.work(n, [], exits(1))
      else r.work(n, [[work.hat === 'work' ? 'mid.go' : 'item.done', `${work.hat}${work.index}`]])
    } else if (r.state.loop?.current?.hats[0] === 'agg') {
      r.act([['LOOP_COMPLETE', 'done']], says('bye'))
    } else if (r.state.loop?.current?.hats[0] === 'disp') {
      dispatch(
        r,
        [0, 1, 2, 3].map((i) => ['item.go', `${i}`] as const),
        `w-${r.state.loop.iteration}`,
      )
    } else {
      r.act([['work.start']])
    }
  }
}

test('cut after any fact of its journal, the run ends the same: nothing settled runs again, nothing is lost', () => {
  const hats = [
    hat('disp', ['work.start'], ['item.go']),
    hat('work', ['item.go'], ['mid.go'], { concurrency: 3 }),
    hat('mid', ['mid.go'], ['item.done'], { concurrency: 2 }),
    ...waveHats().slice(2),
  ]
  const whole = rig({ hats, loop: START })
  play(whole)
  expect(whole.end).toBe('completed')
  expect(whole.journal.length).toBeGreaterThan(30)

  for (let cut = 1; cut < whole.journal.length; cut++) {
    const earlier = whole.journal.slice(0, cut)
    const settled = new Set(successes(earlier))
    const r = rig({ hats, loop: START, earlier })
    play(r)
    expect(`${cut}: ${r.end}`).toBe(`${cut}: completed`)
    const again = r.journal.slice(cut).flatMap((fact) => (fact.type === 'agent.intended' ? [fact.work] : []))
    expect(again.filter((id) => settled.has(id))).toEqual([])
    const all = successes(r.journal)
    expect(all.length).toBe(new Set(all).size)
  }
})

/** Items whose agent ended well, by what the journal says. */
function successes(facts: readonly Fact[]): string[] {
  const works = new Map(
    facts.flatMap((fact) => (fact.type === 'agent.intended' ? [[fact.n, fact.work] as const] : [])),
  )
  return facts.flatMap((fact) => {
    const work = fact.type === 'agent.ended' && fact.end.exitCode === 0 ? works.get(fact.n) : undefined
    return work?.includes('/') ? [work] : []
  })
}

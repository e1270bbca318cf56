import { describe, expect, test } from 'bun:test'
import type { RalphError } from '../../../core/errors.ts'
import { absorb } from '../../../core/run/absorb.ts'
import type { Fact } from '../../../core/run/fact.ts'
import { type RedrivenRequest, redrivenFact } from '../../../core/run/redriven.ts'
import { createTopology } from '../../../core/topology.ts'
import type { Selection } from '../../../core/wave/redrive.ts'
import type { Wave } from '../../../core/wave/wave.ts'
import { dispatch, exits, hat, type Rig, type RigOptions, rig, rigState, rulesOf, waveHats } from './rig.ts'

const START = { startingEvent: 'work.start' }
const OPTIONS: RigOptions = { hats: waveHats(), loop: START }
const PLAIN: Selection = { failed: false, only: null }

/** A run of four items, of which the second failed; its aggregator has completed it. */
function finished(options: RigOptions = OPTIONS): Rig {
  const r = rig(options)
  dispatch(
    r,
    [0, 1, 2, 3].map((i) => ['item.go', `${i}`] as const),
  )
  while (r.running().some((n) => r.state.workers.has(n))) {
    const n = r.running()[0] ?? 0
    const index = r.state.workers.get(n)?.index
    if (index === 1) r.work(n, [], exits(1))
    else r.work(n, [['item.done', `r${index}`]], { costUsd: 0.5 })
  }
  r.act([['LOOP_COMPLETE', 'ok']])
  expect(r.end).toBe('completed')
  return r
}

/** Goes on with a run, and has a part of a wave of it run again. */
function redrive(
  earlier: readonly Fact[],
  of: { wave?: string; selection?: Selection; now?: RigOptions; before?: RigOptions } = {},
): Rig {
  const { wave = 'w-1', selection = PLAIN, now = OPTIONS, before = OPTIONS } = of
  return rig({
    ...now,
    began: before,
    earlier,
    asked: (state) => {
      const again = ask({ earlier, state, wave, selection, now, before })
      return again === null ? [] : [again.fact]
    },
  })
}

function ask(of: {
  earlier: readonly Fact[]
  state: RedrivenRequest['state']
  wave: string
  selection: Selection
  now: RigOptions
  before: RigOptions
}): ReturnType<typeof redrivenFact> {
  return redrivenFact({
    wish: { wave: of.wave, selection: of.selection },
    id: `again-${of.wave}`,
    state: of.state,
    merged: mergedWaves(of.earlier, of.before),
    rules: rulesOf(of.now),
    topology: createTopology(of.now.hats ?? []),
  })
}

/** As the shell collects them while it folds. */
function mergedWaves(earlier: readonly Fact[], before: RigOptions): ReadonlyMap<string, Wave> {
  const state = rigState(before)
  const merged = new Map<string, Wave>()
  for (const fact of earlier) {
    absorb(state, fact)
    for (const wave of state.merged.values()) merged.set(wave.id, wave)
  }
  return merged
}

function indicesAtWork(r: Rig): number[] {
  return r.running().flatMap((n) => r.state.workers.get(n)?.index ?? [])
}

function refused(earlier: readonly Fact[], of: Parameters<typeof redrive>[1] = {}): string {
  try {
    redrive(earlier, of)
  } catch (error) {
    return (error as RalphError).code
  }
  throw new Error('it was not refused')
}

function lastPending(r: Rig) {
  const brief = r.all('start-agent').at(-1)?.brief
  return brief?.kind === 'iteration' ? brief.pending : []
}

describe('a wave of a finished run that runs again', () => {
  test('starts only what failed, gives the aggregator the whole, and ends the run anew', () => {
    const r = redrive(finished().journal)
    expect(indicesAtWork(r)).toEqual([1])
    r.work(r.running()[0] ?? 0, [['item.done', 'r1']])
    const wave = r.all('merge-wave').at(-1)?.wave
    expect(wave?.works.map(({ outcome }) => outcome?.status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(wave?.redriveOf).toBe('w-1')
    expect(r.all('begin-iteration').at(-1)).toMatchObject({ iteration: 3, hats: ['agg'] })
    expect(lastPending(r)).toMatchObject([{ kind: 'wave', wave: { id: wave?.id } }])
    r.act([['LOOP_COMPLETE', 'whole']])
    expect(r.end).toBe('completed')
  })

  test('counts neither cost nor activation of what it takes over a second time', () => {
    const r = redrive(finished().journal)
    expect(r.state.totals.costUsd).toBe(1.5)
    expect(r.state.activations.get('work')).toBe(5)
    const [wave] = r.state.waves.values()
    expect(wave?.works[0]).toMatchObject({
      cost: { usd: 0.5, source: 'reported' },
      attempts: 1,
      adopted: { from: { run: 'primary-1', wave: 'w-1', index: 0 } },
    })
  })

  test.each<{ what: string; selection: Selection; runs: number[] }>([
    { what: '--failed', selection: { failed: true, only: null }, runs: [1] },
    { what: '--only', selection: { failed: false, only: [0, 3] }, runs: [0, 3] },
    { what: '--failed --only', selection: { failed: true, only: [0, 1] }, runs: [1] },
  ])('with $what starts $runs', ({ selection, runs }) => {
    expect(indicesAtWork(redrive(finished().journal, { selection }))).toEqual(runs)
  })

  test('without a choice also starts what would ask something else by now', () => {
    const now = { ...OPTIONS, hats: waveHats({ instructions: 'Do it better.', concurrency: 8 }) }
    expect(indicesAtWork(redrive(finished().journal, { now }))).toEqual([0, 1, 2, 3])
    const other = { ...OPTIONS, backend: { model: 'large' } }
    expect(indicesAtWork(redrive(finished().journal, { now: other }))).toHaveLength(3)
    const failed = { failed: true, only: null }
    expect(indicesAtWork(redrive(finished().journal, { now, selection: failed }))).toEqual([1])
  })

  test('remembers what asked for a result that it took over, however often that is taken over', () => {
    const now = { ...OPTIONS, hats: waveHats({ instructions: 'Do it better.' }) }
    const first = redrive(finished().journal, { now, selection: { failed: true, only: null } })
    first.work(first.running()[0] ?? 0, [['item.done', 'r1']])
    first.act([['LOOP_COMPLETE', 'ok']])
    const wave = first.all('merge-wave').at(-1)?.wave.id ?? ''
    const second = redrive(first.journal, { wave, now })
    expect(indicesAtWork(second)).toEqual([0, 2, 3])
  })

  test('is cut and continued like any other wave', () => {
    const first = redrive(finished().journal, { selection: { failed: false, only: [0, 1] } })
    first.work(first.running()[0] ?? 0, [['item.done', 'again']])
    const r = rig({ ...OPTIONS, earlier: first.journal })
    expect(indicesAtWork(r)).toEqual([1])
    r.work(r.running()[0] ?? 0, [['item.done', 'r1']])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })

  test('stays within the activations of its hat', () => {
    const options = { ...OPTIONS, hats: waveHats({ maxActivations: 5 }) }
    const r = redrive(finished(options).journal, {
      now: options,
      before: options,
      selection: { failed: false, only: [0, 1, 2] },
    })
    expect(indicesAtWork(r)).toEqual([0])
    const [wave] = r.state.waves.values()
    expect(wave?.works.map(({ outcome }) => outcome?.status)).toEqual([
      undefined,
      'exhausted',
      'exhausted',
      'ok',
    ])
  })

  test('starts nothing once the budget is spent: it stays open', () => {
    const r = redrive(finished().journal, { now: { ...OPTIONS, loop: { ...START, maxCostUsd: 1 } } })
    expect(r.end).toBe('max_cost')
    expect(r.state.waves.size).toBe(1)
    expect(r.all('start-agent')).toEqual([])
  })

  test('opens nothing where nothing is to run', () => {
    const once = redrive(finished().journal)
    once.work(once.running()[0] ?? 0, [['item.done', 'r1']])
    once.act([['LOOP_COMPLETE', 'ok']])
    const wave = once.all('merge-wave').at(-1)?.wave.id ?? ''
    const state = rigState(OPTIONS)
    for (const fact of once.journal) absorb(state, fact)
    const of = { earlier: once.journal, state, wave, now: OPTIONS, before: OPTIONS }
    expect(ask({ ...of, selection: PLAIN })).toBeNull()
    expect(ask({ ...of, selection: { failed: true, only: null } })).toBeNull()
  })

  test.each<{ what: string; of: Parameters<typeof redrive>[1]; code: string }>([
    {
      what: 'an index that it does not have',
      of: { selection: { failed: false, only: [4] } },
      code: 'item_unknown',
    },
    {
      what: 'a hat that the config has no more',
      of: { now: { hats: [], loop: START } },
      code: 'hat_unknown',
    },
    { what: 'another wave', of: { wave: 'w-2' }, code: 'wave_unknown' },
  ])('refuses $what', ({ of, code }) => {
    expect(refused(finished().journal, of)).toBe(code)
  })

  test('is refused while it, or another one, is open', () => {
    const r = rig(OPTIONS)
    dispatch(r, [
      ['item.go', 'a'],
      ['item.go', 'b'],
    ])
    expect(refused(r.journal)).toBe('wave_open')
    expect(refused(r.journal, { wave: 'w-other' })).toBe('wave_open')
  })

  test('is refused where an iteration was cut while its events were taken in', () => {
    const { journal } = finished()
    const closing = journal.findLastIndex((fact) => fact.type === 'iteration.closed')
    expect(refused(journal.slice(0, closing))).toBe('run_unfinished')
  })

  test('goes on after an iteration that was cut: its events come back to the next prompt', () => {
    const { journal } = finished()
    const begun = journal.findLastIndex((fact) => fact.type === 'agent.intended')
    const r = redrive(journal.slice(0, begun + 1))
    r.work(r.running()[0] ?? 0, [['item.done', 'r1']])
    expect(lastPending(r).map((one) => one.kind === 'wave' && one.wave.redriveOf)).toEqual([null, 'w-1'])
  })
})

describe('a chain of waves that runs again', () => {
  const CHAIN: RigOptions = {
    loop: START,
    hats: [
      hat('disp', ['work.start'], ['item.go']),
      hat('work', ['item.go'], ['mid.go'], { concurrency: 3 }),
      hat('mid', ['mid.go'], ['item.done'], { concurrency: 3 }),
      ...waveHats().slice(2),
    ],
  }

  /** Three items, of which the second fails in the first stage and the third in the second. */
  function finishedChain(): Rig {
    const r = rig(CHAIN)
    dispatch(r, [
      ['item.go', '0'],
      ['item.go', '1'],
      ['item.go', '2'],
    ])
    playChain(
      r,
      (work) => (work.hat === 'work' && work.index === 1) || (work.hat === 'mid' && work.index === 2),
    )
    r.act([['LOOP_COMPLETE', 'ok']])
    return r
  }

  function playChain(r: Rig, fails: (work: { hat: string; index: number }) => boolean): string[] {
    const played: string[] = []
    for (let n = r.running()[0]; n !== undefined && r.state.workers.has(n); n = r.running()[0]) {
      const work = r.state.workers.get(n)
      if (work === undefined) break
      played.push(`${work.hat}:${work.index}`)
      if (fails(work)) r.work(n, [], exits(1))
      else r.work(n, [[work.hat === 'work' ? 'mid.go' : 'item.done', `${work.hat}${work.index}`]])
    }
    return played
  }

  test('from its first wave takes over what later stages have done', () => {
    const r = redrive(finishedChain().journal, { now: CHAIN, before: CHAIN })
    expect(playChain(r, () => false)).toEqual(['work:1', 'mid:1', 'mid:2'])
    const last = r.all('merge-wave').at(-1)?.wave
    expect(last?.works.map(({ index, outcome }) => [index, outcome?.status])).toEqual([
      [0, 'ok'],
      [1, 'ok'],
      [2, 'ok'],
    ])
    expect(r.all('begin-iteration').at(-1)?.hats).toEqual(['agg'])
  })

  test('from its last wave runs that part alone; what failed before stays a failure', () => {
    const r = redrive(finishedChain().journal, { wave: 'w-1.2', now: CHAIN, before: CHAIN })
    expect(playChain(r, () => false)).toEqual(['mid:2'])
    const last = r.all('merge-wave').at(-1)?.wave
    expect(last?.works.map(({ index, outcome }) => [index, outcome?.status])).toEqual([
      [0, 'ok'],
      [1, 'failed'],
      [2, 'ok'],
    ])
  })

  test('refuses an item that failed before the stage', () => {
    const selection = { failed: false, only: [1] }
    expect(refused(finishedChain().journal, { wave: 'w-1.2', selection, now: CHAIN, before: CHAIN })).toBe(
      'item_barred',
    )
  })
})

import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import type { Event } from '../../../core/event.ts'
import type { Fact } from '../../../core/run/fact.ts'
import { digestInstructions, itemKeys } from '../../../core/wave/item-key.ts'
import type { Adoption, Outcome } from '../../../core/wave/wave.ts'
import { dispatch, dispatchLine, hat, mergedWave, type Rig, rig, waveHats } from './rig.ts'

const OPTIONS = { hats: waveHats(), loop: { startingEvent: 'work.start' } }
const ITEMS = ['a', 'b', 'c']
const PLAYER = { backend: 'custom', model: null }

const outcome = (text: string): Outcome => ({
  status: 'ok',
  class: 'result',
  cause: { kind: 'exit', code: 0 },
  reason: null,
  events: [{ topic: 'item.done', payload: inline(text) }],
  fromFinalMessage: false,
  durationMs: 5,
  remarks: [],
})

const SPENT = {
  attempts: 2,
  cost: { usd: 0.5, source: 'reported' },
  usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, context: 0 },
} as const

/** A run whose three workers have given their results; its journal. */
function whole(): readonly Fact[] {
  const first = rig(OPTIONS)
  dispatch(
    first,
    ITEMS.map((item) => ['item.go', item]),
  )
  for (const n of [...first.running()]) first.work(n, [['item.done', `r${n}`]], { costUsd: 0.5 })
  return first.journal
}

/** The journal up to the first fact of that kind. */
function cutAt(journal: readonly Fact[], type: Fact['type']): readonly Fact[] {
  const at = journal.findIndex((fact) => fact.type === type)
  expect(at).toBeGreaterThan(0)
  return journal.slice(0, at)
}

const statuses = (r: Rig) => mergedWave(r).works.map((work) => work.outcome?.status)

/** The iteration that was cut did dispatch. */
const handedOut = (id: string): readonly Event[] =>
  ITEMS.map((item, i) => ({ ...dispatchLine(id, i, 3, 'item.go', item), agent: 'primary-1:1' }))

/** What the disk has of a wave of which the journal knows nothing. */
const found = (wave: string): readonly (readonly [string, Adoption])[] => {
  const items = ITEMS.map((item) => ({
    hat: 'work',
    instructions: digestInstructions(''),
    player: PLAYER,
    payload: inline(item),
  }))
  return itemKeys(items).map((key, index) => [
    key,
    {
      ...SPENT,
      from: { run: 'primary-1', wave, index },
      outcome: outcome(`kept ${index}`),
      player: PLAYER,
      instructions: digestInstructions(''),
    },
  ])
}

describe('a journal that has lost its end', () => {
  test('costs no item that has its outcome on disk, and its cost, attempts and activations count', () => {
    const outcomes = [0, 2].map(
      (index) =>
        ({
          type: 'item.recovered',
          work: `w-1/${index}`,
          outcome: outcome(`kept ${index}`),
          ...SPENT,
        }) as const,
    )
    const r = rig({ ...OPTIONS, earlier: cutAt(whole(), 'worker.read'), onDisk: { outcomes } })
    expect(r.running().map((n) => r.state.running.get(n)?.work.index)).toEqual([1])
    // Four had begun; the two that are back had two attempts each, of which the journal knew one.
    expect(r.running()).toEqual([7])
    for (const n of r.running()) r.work(n, [['item.done', 'anew']])
    expect(statuses(r)).toEqual(['ok', 'ok', 'ok'])
    expect(r.state.totals).toMatchObject({ costUsd: 1, costSource: 'reported', inputTokens: 20 })
    expect(r.state.activations.get('work')).toBe(3)
  })

  test('costs no item of a wave of which it knows nothing, whose repetition asks the same; what was paid counts once', () => {
    const earlier = cutAt(whole(), 'events.read')
    const onDisk = { lines: handedOut('w-1'), found: found('w-1') }
    const r = rig({ ...OPTIONS, earlier, onDisk })
    dispatch(
      r,
      ITEMS.map((item) => ['item.go', item]),
      'w-2',
    )
    expect(mergedWave(r, 'w-2').works.map((work) => work.adopted?.from.wave)).toEqual(['w-1', 'w-1', 'w-1'])
    expect(r.state.totals.costUsd).toBe(1.5)
    expect(r.state.totals.agentsStarted).toBe(1 + 6 + 1 + 1)
    const again = rig({ ...OPTIONS, earlier: r.journal, onDisk: { found: found('w-1') } })
    expect(again.state.totals.costUsd).toBe(1.5)
  })

  test('gives its results to the iteration at hand alone', () => {
    const earlier = cutAt(whole(), 'events.read')
    const r = rig({ ...OPTIONS, earlier, onDisk: { found: found('w-0') } })
    r.act([['item.done', 'none of it']])
    expect(r.state.adoptable.size).toBe(0)
  })

  test('gives them only once: what asks the same in a later round is work of its own', () => {
    const onDisk = { found: found('w-0'), lost: ['w-0'] }
    const earlier = cutAt(whole(), 'events.read')
    const again = rig({ ...OPTIONS, earlier, onDisk })
    expect([...again.state.pastLost]).toEqual([])
    again.act([['item.done', 'none of it']])
    const later = rig({ ...OPTIONS, earlier: again.journal, onDisk: {} })
    expect([...later.state.pastLost]).toEqual(['w-0'])
  })

  test('keeps them for the next iteration where the one at hand had ended before', () => {
    const before = rig(OPTIONS)
    before.act([])
    const earlier = cutAt(before.journal, 'iteration.closed')
    const r = rig({ ...OPTIONS, earlier, onDisk: { found: found('w-0'), lost: ['w-0'] } })
    expect(r.state.loop?.iteration).toBe(2)
    dispatch(
      r,
      ITEMS.map((item) => ['item.go', item]),
      'w-2',
    )
    expect(mergedWave(r, 'w-2').works.map((work) => work.adopted?.from.wave)).toEqual(['w-0', 'w-0', 'w-0'])
    expect([...r.state.pastLost]).toEqual(['w-0'])
  })
})

describe('an agent that was at work when the run was cut', () => {
  test('is one of which nobody knows what it has cost, unless its item had its outcome', () => {
    const earlier = cutAt(whole(), 'worker.read')
    const started = [2, 3].map(
      (n): Fact => ({ type: 'agent.started', n, pid: n, startTime: '1', bootId: 'b', at: 0, mono: 0 }),
    )
    const recovered = { type: 'item.recovered', work: 'w-1/0', outcome: outcome('kept'), ...SPENT } as const
    const r = rig({ ...OPTIONS, earlier: [...earlier, ...started], onDisk: { outcomes: [recovered] } })
    const before = rig({ ...OPTIONS, earlier })
    expect(r.state.totals.unknownCosts - before.state.totals.unknownCosts).toBe(1)
  })
})

describe('an item that comes back from disk', () => {
  test('is known by who has played it, so that a later run can take it over', () => {
    const at = whole().findIndex((fact) => fact.type === 'agent.intended' && fact.n === 2)
    const recovered = {
      type: 'item.recovered',
      work: 'w-1/0',
      outcome: outcome('kept'),
      ...SPENT,
      player: PLAYER,
    } as const
    const r = rig({ ...OPTIONS, earlier: whole().slice(0, at), onDisk: { outcomes: [recovered] } })
    expect(r.state.waves.get('w-1')?.works[0]).toMatchObject({ status: 'settled', player: PLAYER })
  })
})

describe('an iteration that was cut', () => {
  const earlier = (): readonly Fact[] => cutAt(whole(), 'events.read')

  test('and dispatches again when it is repeated hands its work out once', () => {
    const r = rig({ ...OPTIONS, earlier: earlier(), onDisk: { lines: handedOut('w-1') } })
    dispatch(
      r,
      ITEMS.map((item) => ['item.go', `new ${item}`]),
      'w-2',
    )
    expect([...r.state.waves.keys()]).toEqual(['w-2'])
    expect(r.state.waves.get('w-2')?.works.map(({ payload }) => payload)).toEqual(
      ITEMS.map((item) => inline(`new ${item}`)),
    )
  })

  test('and does not dispatch when it is repeated has its wave run all the same', () => {
    const r = rig({ ...OPTIONS, earlier: earlier(), onDisk: { lines: handedOut('w-1') } })
    r.act([])
    expect([...r.state.waves.keys()]).toEqual(['w-1'])
  })

  test('and completes when it is repeated loses nothing, whoever listens to the promise', () => {
    const hats = [...waveHats(), hat('all', ['*'], [], { concurrency: 2 })]
    const r = rig({ ...OPTIONS, hats, earlier: earlier(), onDisk: { lines: handedOut('w-1') } })
    r.act([['LOOP_COMPLETE', 'done']])
    expect([...r.state.waves.keys()]).toEqual(['w-1'])
  })

  test('keeps what others have dispatched meanwhile', () => {
    const lines = handedOut('w-1').map(({ agent: _, ...line }) => line)
    const r = rig({ ...OPTIONS, earlier: earlier(), onDisk: { lines } })
    dispatch(r, [['item.go', 'x']], 'w-2')
    expect([...r.state.waves.keys()]).toEqual(['w-1', 'w-2'])
  })
})

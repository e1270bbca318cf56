import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import type { Event } from '../../../core/event.ts'
import type { Hat } from '../../../core/hat.ts'
import { createTopology } from '../../../core/topology.ts'
import { collectDispatch, isDispatch, missingIndices } from '../../../core/wave/detect.ts'
import { finalMessageTopic, mayPublish } from '../../../core/wave/guard.ts'
import { inferWaves } from '../../../core/wave/infer.ts'
import { resolveDispatches, workerTimeout } from '../../../core/wave/plan.ts'
import { backoffWithJitter } from '../../../core/wave/retry.ts'
import type { Dispatch } from '../../../core/wave/wave.ts'
import { aggregate, hat, waveHats } from '../run/rig.ts'

const CONTROL = { completion: 'LOOP_COMPLETE', cancellation: 'loop.cancel' }

function line(index?: number, total?: number, payload = 'p', topic = 'item.go'): Event {
  return {
    topic,
    payload: inline(payload),
    wave: { id: 'w-1', ...(index === undefined ? {} : { index }), ...(total === undefined ? {} : { total }) },
  }
}

function collect(lines: readonly Event[]): { dispatch: Dispatch | undefined; warnings: (string | null)[] } {
  const groups: Dispatch[] = []
  const warnings = lines.map((one) => collectDispatch(groups, one)).filter((one) => one !== null)
  return { dispatch: groups[0], warnings }
}

function resolve(
  hats: readonly Hat[],
  dispatches: readonly Dispatch[],
  more: { allowed?: string[]; most?: number } = {},
) {
  const topology = createTopology(hats)
  return resolveDispatches(dispatches, {
    topology,
    control: CONTROL,
    maxWaveItems: 100,
    maxConcurrency: more.most ?? 8,
    activationsLeft: () => Number.POSITIVE_INFINITY,
    allowed: more.allowed ?? null,
    isKnown: (id) => id === 'w-known',
  })
}

function dispatchOf(count: number, topic: (i: number) => string = () => 'item.go', id = 'w-1'): Dispatch {
  const items = Array.from({ length: count }, (_, i): [number, Event] => [
    i,
    { topic: topic(i), payload: inline(`${i}`) },
  ])
  return { id, inferred: false, items: new Map(items), total: count }
}

describe('a dispatch line', () => {
  test.each([
    { what: 'with id and total', event: line(0, 3), known: false, is: true },
    { what: 'without a total, of an unknown wave', event: line(0), known: false, is: true },
    { what: 'without a total, of a known wave', event: line(0), known: true, is: false },
    { what: 'that a merge wrote', event: { ...line(0, 3), waveStatus: 'ok' }, known: false, is: false },
    { what: 'without a tag', event: { topic: 't', payload: inline('') }, known: false, is: false },
  ])('is one $what: $is', ({ event, known, is }) => {
    expect(isDispatch(event, () => known)).toBe(is)
  })

  test.each([
    {
      what: 'indices and one total',
      lines: [line(0, 2), line(1, 2)],
      indices: [0, 1],
      total: 2,
      warnings: 0,
    },
    {
      what: 'differing totals: the largest',
      lines: [line(0, 3), line(1, 4)],
      indices: [0, 1],
      total: 4,
      warnings: 1,
    },
    {
      what: 'more lines than the total',
      lines: [line(0, 1), line(1, 1)],
      indices: [0, 1],
      total: 2,
      warnings: 0,
    },
    {
      what: 'no index: the next free one',
      lines: [line(1, 2), line(undefined, 2)],
      indices: [0, 1],
      total: 2,
      warnings: 0,
    },
    {
      what: 'an index twice with the same text: one item',
      lines: [line(0, 2), line(0, 2)],
      indices: [0],
      total: 2,
      warnings: 0,
    },
    {
      what: 'an index twice with another text: the next free one',
      lines: [line(0, 2), line(0, 2, 'q')],
      indices: [0, 1],
      total: 2,
      warnings: 1,
    },
  ])('groups by $what', ({ lines, indices, total, warnings }) => {
    const { dispatch, warnings: told } = collect(lines)
    expect([...(dispatch?.items.keys() ?? [])].sort()).toEqual([...indices])
    expect(dispatch?.total).toBe(total)
    expect(told).toHaveLength(warnings)
  })

  test('that is missing below the total is known as missing', () => {
    expect(missingIndices(collect([line(0, 4), line(2, 4)]).dispatch as Dispatch)).toEqual([1, 3])
  })
})

describe('what becomes of a dispatch', () => {
  test('lines to no hat, or to an aggregator, are ordinary events and no items', () => {
    const { plans, ordinary } = resolve(waveHats(), [
      dispatchOf(3, (i) => ['item.go', 'nobody.x', 'item.done'][i] ?? ''),
    ])
    expect(plans.map((plan) => plan.items.length)).toEqual([1])
    expect(ordinary.map((event) => event.topic)).toEqual(['nobody.x', 'item.done'])
  })

  test('a control topic is refused', () => {
    const { refusals } = resolve(waveHats(), [dispatchOf(1, () => 'human.guidance')])
    expect(refusals[0]).toContain('control topic')
  })

  test('a wave that has run is refused', () => {
    expect(resolve(waveHats(), [dispatchOf(1, undefined, 'w-known')]).refusals[0]).toContain('already run')
  })

  test.each([
    { what: 'its own timeout', worker: { timeoutSeconds: 7 }, agg: aggregate(60), seconds: 7 },
    { what: "its aggregator's", worker: {}, agg: aggregate(60), seconds: 60 },
    { what: '300 s by default', worker: {}, agg: aggregate(), seconds: 300 },
  ])('a worker has $what', ({ worker, agg, seconds }) => {
    const hats = waveHats(worker, agg)
    expect(workerTimeout(hats[1] as Hat, createTopology(hats))).toBe(seconds)
  })

  test.each([
    { what: 'what an aggregator sets', worker: {}, agg: aggregate(60), count: 3, most: 8, seconds: 60 },
    {
      what: 'but at least the longest worker timeout',
      worker: { timeoutSeconds: 90 },
      agg: aggregate(60),
      count: 3,
      most: 8,
      seconds: 90,
    },
    {
      what: 'rounds of the hat, and 30 s',
      worker: { timeoutSeconds: 10 },
      agg: aggregate(),
      count: 7,
      most: 8,
      seconds: 3 * 10 + 30,
    },
    {
      what: 'rounds of the whole run, where they are more',
      worker: { timeoutSeconds: 10 },
      agg: aggregate(),
      count: 6,
      most: 1,
      seconds: 6 * 10 + 30,
    },
  ])('the deadline is $what', ({ worker, agg, count, most, seconds }) => {
    const { plans } = resolve(waveHats(worker, agg), [dispatchOf(count)], { most })
    expect(plans[0]?.deadlineSeconds).toBe(seconds)
  })
})

describe('plain events become waves', () => {
  const debaters = [
    hat('h1', ['h1.go'], ['done']),
    hat('h2', ['h2.go'], ['done']),
    hat('judge', ['done'], [], aggregate()),
  ]
  test.each([
    { what: 'for two hats of one aggregator', hats: debaters, topics: ['h1.go', 'h2.go'], sizes: [2] },
    { what: 'not for a single event', hats: debaters, topics: ['h1.go'], sizes: [] },
    { what: 'not for one hat with concurrency 1', hats: debaters, topics: ['h1.go', 'h1.go'], sizes: [] },
    { what: 'for one hat with more', hats: waveHats(), topics: ['item.go', 'item.go'], sizes: [2] },
    {
      what: 'not for events that an aggregator receives',
      hats: waveHats(),
      topics: ['item.done', 'item.done'],
      sizes: [],
    },
    {
      what: 'not by way of other parallel hats',
      hats: waveHats(),
      topics: ['work.start', 'work.start'],
      sizes: [],
    },
  ])('$what', ({ hats, topics, sizes }) => {
    const events = topics.map((topic): Event => ({ topic, payload: inline('') }))
    const { waves, rest } = inferWaves(events, createTopology(hats), () => 'w-i')
    expect(waves.map((wave) => wave.items.size)).toEqual([...sizes])
    expect(rest).toHaveLength(topics.length - sizes.reduce((a, b) => a + b, 0))
  })
})

describe('a worker', () => {
  test.each([
    { topic: 'item.done', publishes: ['item.done'], may: true },
    { topic: 'item.done', publishes: ['item.*'], may: true },
    { topic: 'zzz', publishes: ['item.done'], may: false },
    { topic: 'zzz', publishes: [], may: true },
    { topic: 'LOOP_COMPLETE', publishes: ['LOOP_COMPLETE'], may: false },
    { topic: 'human.guidance.ack', publishes: [], may: false },
  ])('may publish $topic with publishes $publishes: $may', ({ topic, publishes, may }) => {
    expect(mayPublish(hat('w', [], publishes), CONTROL, topic)).toBe(may)
  })

  test.each([
    { publishes: ['item.done'], fallback: undefined, topic: 'item.done' },
    { publishes: ['item.done', 'LOOP_COMPLETE'], fallback: undefined, topic: 'item.done' },
    { publishes: ['item.done', 'item.blocked'], fallback: undefined, topic: null },
    { publishes: ['item.done', 'item.blocked'], fallback: 'item.done', topic: 'item.done' },
    { publishes: ['item.done'], fallback: 'LOOP_COMPLETE', topic: null },
    { publishes: ['item.*'], fallback: undefined, topic: null },
    { publishes: [], fallback: undefined, topic: null },
  ])('that says its result, with publishes $publishes and default $fallback, says it on $topic', (row) => {
    const more = row.fallback === undefined ? {} : { defaultPublishes: row.fallback }
    expect<string | null>(finalMessageTopic(hat('w', [], row.publishes, more), CONTROL)).toBe(row.topic)
  })
})

test('a backoff is at least what the provider wishes, at most a quarter more, and the same on replay', () => {
  for (let i = 0; i < 200; i++) {
    const ms = backoffWithJitter(1000, `w-1/${i}#1`, 3000)
    expect(ms).toBeGreaterThanOrEqual(3000)
    expect(ms).toBeLessThanOrEqual(3750)
    expect(backoffWithJitter(1000, `w-1/${i}#1`, 3000)).toBe(ms)
  }
})

test('the waits of a wave whose items met the same refusal are spread over the whole jitter', () => {
  const waits = Array.from({ length: 12 }, (_, i) => backoffWithJitter(10_000, `w-1/${i}#1`, 60_000)).sort(
    (one, other) => one - other,
  )
  const quarters = new Set(waits.map((ms) => Math.floor((ms - 60_000) / 3750)))
  expect(quarters).toEqual(new Set([0, 1, 2, 3]))
  expect(new Set(waits).size).toBe(12)
})

test('a jitter differs also between keys that differ in their last character alone', () => {
  const waits = Array.from({ length: 9 }, (_, i) => backoffWithJitter(10_000, `run:${i + 1}`))
  expect(new Set(waits).size).toBe(9)
  expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(1000)
})

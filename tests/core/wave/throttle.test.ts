import { describe, expect, test } from 'bun:test'
import {
  admit,
  type FreePlaces,
  freePlaces,
  nextPlace,
  type Pressure,
  type Refusal,
  refuse,
  serve,
  type Throttle,
  unlearn,
} from '../../../core/wave/throttle.ts'

const B = 'agent'

/** A backend under pressure: the limit of 4 was cut at 1000 ms, when 8 ran. */
function pressed(more: Partial<Pressure> = {}): Throttle {
  return new Map([
    [
      B,
      {
        limit: 4,
        ceiling: 8,
        probe: null,
        probeAt: 11_000,
        heldUntil: 0,
        waitMs: 10_000,
        firstWaitMs: 10_000,
        since: 9,
        ...more,
      },
    ],
  ])
}

function refused(throttle: Throttle, more: Partial<Refusal> = {}): Pressure & { told: string | null } {
  const of = { n: 10, others: 3, started: 12, mono: 20_000, backoffMs: 10_000, wishMs: 0, ...more }
  const told = refuse(throttle, B, of)
  return { ...(throttle.get(B) as Pressure), told }
}

describe('a refusal', () => {
  test.each<[string, Throttle, Partial<Refusal>, Partial<Pressure> & { told: string | null }]>([
    [
      'halves the agents that run',
      new Map(),
      { others: 7 },
      { limit: 4, ceiling: 8, waitMs: 10_000, probeAt: 30_000, told: 'fewer' },
    ],
    [
      'of an agent that was on its way when the limit was cut does not halve again',
      pressed(),
      { n: 5, others: 6 },
      { limit: 4, ceiling: 7, told: null },
    ],
    ['leaves no more than still run', pressed(), { n: 5, others: 2 }, { limit: 2, ceiling: 3, told: null }],
    ['of an agent started since halves again', pressed(), { n: 11, others: 3 }, { limit: 2, told: 'fewer' }],
    [
      'of the probe leaves the limit as it was, and doubles the wait for the next',
      pressed({ probe: 10 }),
      { n: 10, others: 4 },
      { limit: 4, waitMs: 20_000, probeAt: 40_000, told: null },
    ],
    [
      'beside a probe counts as that of the probe',
      pressed({ probe: 12 }),
      { n: 5, others: 4 },
      { limit: 4, probe: null, waitMs: 20_000, told: null },
    ],
    [
      'of the last one that ran holds all back',
      pressed(),
      { n: 9, others: 0 },
      { limit: 1, ceiling: Number.POSITIVE_INFINITY, heldUntil: 30_000, waitMs: 10_000, told: 'none' },
    ],
    [
      'of one that runs alone again doubles the wait',
      pressed({ limit: 1 }),
      { n: 10, others: 0 },
      { heldUntil: 40_000, waitMs: 20_000, told: 'none' },
    ],
    [
      'never waits longer than a quarter of an hour',
      pressed({ limit: 1, waitMs: 800_000 }),
      { n: 10, others: 0 },
      { heldUntil: 920_000, waitMs: 900_000, told: 'none' },
    ],
    [
      'waits for as long as the provider asks, if that is longer',
      new Map(),
      { others: 0, wishMs: 60_000 },
      { heldUntil: 80_000, waitMs: 10_000, told: 'none' },
    ],
    [
      'waits a second where the config asks for no wait',
      new Map(),
      { others: 0, backoffMs: 0 },
      { heldUntil: 21_000, waitMs: 1000, told: 'none' },
    ],
  ])('%s', (_, throttle, of, wanted) => {
    expect(refused(throttle, of)).toMatchObject(wanted)
  })
})

describe('an agent that ends well', () => {
  test.each<[string, Partial<Pressure>, number, Partial<Pressure>]>([
    ['makes room for one more below what was refused', {}, 3, { limit: 5 }],
    ['makes none where one more was refused', { limit: 7 }, 3, { limit: 7 }],
    [
      'as the probe makes room for itself, and soon for others',
      { limit: 7, probe: 10, waitMs: 40_000 },
      10,
      { limit: 8, ceiling: 16, probe: null, probeAt: 0, waitMs: 10_000 },
    ],
    [
      'after nobody was served sets the wait back',
      { limit: 1, ceiling: Number.POSITIVE_INFINITY, waitMs: 80_000 },
      10,
      { limit: 2, waitMs: 10_000 },
    ],
    ['leaves the wait where fewer are served than want', { limit: 7, waitMs: 80_000 }, 3, { waitMs: 80_000 }],
  ])('%s', (_, before, n, wanted) => {
    const throttle = pressed(before)
    serve(throttle, B, { n, most: 20 })
    expect(throttle.get(B)).toMatchObject(wanted)
  })

  test('frees the backend once all places of the run are open to it', () => {
    const throttle = pressed()
    serve(throttle, B, { n: 3, most: 6 })
    expect(throttle.get(B)?.limit).toBe(5)
    serve(throttle, B, { n: 4, most: 6 })
    expect(throttle.size).toBe(0)
  })

  test('frees no backend before the probe has come back', () => {
    const throttle = pressed({ limit: 2, ceiling: 3 })
    admit(throttle, B, { n: 10, running: 2 })
    serve(throttle, B, { n: 3, most: 3 })
    expect(throttle.get(B)).toMatchObject({ limit: 2, probe: 10 })
    serve(throttle, B, { n: 10, most: 3 })
    expect(throttle.size).toBe(0)
  })

  test('of a backend that is not held back changes nothing', () => {
    const throttle: Throttle = new Map()
    serve(throttle, B, { n: 3, most: 8 })
    unlearn(throttle, B, 3)
    admit(throttle, B, { n: 3, running: 5 })
    expect(throttle.size).toBe(0)
  })
})

test('an agent is a probe if it starts above the limit, and one that fails otherwise tells nothing', () => {
  const throttle = pressed()
  admit(throttle, B, { n: 10, running: 3 })
  expect(throttle.get(B)?.probe).toBeNull()
  admit(throttle, B, { n: 11, running: 4 })
  expect(throttle.get(B)?.probe).toBe(11)
  unlearn(throttle, B, 10)
  expect(throttle.get(B)?.probe).toBe(11)
  unlearn(throttle, B, 11)
  expect(throttle.get(B)).toMatchObject({ probe: null, limit: 4 })
})

describe('places', () => {
  test.each<[string, Partial<Pressure>, { mono?: number; running: number; lastRuns?: boolean }, FreePlaces]>([
    ['are those below the limit', {}, { running: 3 }, { any: 1, last: 0 }],
    ['are none at the limit before it is time to try', {}, { running: 4 }, { any: 0, last: 0 }],
    ['are one above the limit once it is time', {}, { running: 4, mono: 11_000 }, { any: 1, last: 0 }],
    ['are none above it beside a probe', { probe: 8 }, { running: 5, mono: 11_000 }, { any: 0, last: 0 }],
    ['below it are filled beside a probe', { probe: 8 }, { running: 4 }, { any: 1, last: 0 }],
    ['are none while more run than may', {}, { running: 6, mono: 11_000 }, { any: -2, last: 0 }],
    ['are none while all are held back', { heldUntil: 11_000 }, { running: 0 }, { any: 0, last: 0 }],
    ['for a last attempt are one, alone', {}, { running: 0 }, { any: 4, last: 1 }],
    ['beside a last attempt are none', {}, { running: 1, lastRuns: true }, { any: 0, last: 0 }],
  ])('%s', (_, before, of, wanted) => {
    const pressure = pressed(before).get(B) as Pressure
    expect(freePlaces(pressure, { mono: 5000, lastRuns: false, ...of })).toEqual(wanted)
  })

  test.each<[string, Partial<Pressure>, number, number | null]>([
    ['when all are held back: at the end of that', { heldUntil: 15_000 }, 5000, 15_000],
    ['at the limit: when one more is tried', {}, 5000, 11_000],
    ['beside a probe: when an agent ends', { probe: 8 }, 5000, null],
    ['after that time: when an agent ends', {}, 11_000, null],
  ])('are looked for again %s', (_, before, mono, at) => {
    expect(nextPlace(pressed(before).get(B) as Pressure, mono)).toBe(at)
  })
})

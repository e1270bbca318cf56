import { describe, expect, test } from 'bun:test'
import { type Played, type ProviderPlay, playProvider } from './provider.ts'

/** Whole waves against a provider on a virtual clock, with the retries that are the default: three attempts, 10 s, doubling. */

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1)

function play(of: Omit<ProviderPlay, 'seed'>): Played[] {
  return SEEDS.map((seed) => playProvider({ seed, ...of }))
}

/** Mean over the seeds. */
function mean(all: readonly Played[], of: (one: Played) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0) / all.length
}

const most = (all: readonly Played[], of: (one: Played) => number): number => Math.max(...all.map(of))

const two = (): number => 2

describe.each(['session', 'turns'] as const)('a provider that serves two at a time (%s)', (agents) => {
  test.each([
    { items: 12, concurrency: 12, refusedAgents: 16, refused: 6.5, minutes: 5 },
    { items: 12, concurrency: 8, refusedAgents: 12, refused: 6, minutes: 5 },
    { items: 64, concurrency: 8, refusedAgents: 24, refused: 3, minutes: 20 },
    { items: 64, concurrency: 64, refusedAgents: 80, refused: 6, minutes: 22 },
  ])('completes $items items at concurrency $concurrency without a failure, and is not hammered', (row) => {
    const { items, concurrency } = row
    const all = play({ items, concurrency, capacity: two, agents })
    for (const one of all) expect(one.statuses).toEqual({ ok: items })
    // Beside the first burst, which nobody can know of before, few agents are refused.
    expect(most(all, (one) => one.refusedAgents)).toBeLessThanOrEqual(row.refusedAgents)
    expect(mean(all, (one) => one.refused / items)).toBeLessThan(row.refused)
    expect(most(all, (one) => one.busiestSecond)).toBeLessThanOrEqual(concurrency)
    expect(most(all, (one) => one.refusedPerMinute)).toBeLessThanOrEqual(agents === 'session' ? 1 : 60)
    expect(mean(all, (one) => one.took) / 60_000).toBeLessThan(row.minutes)
  })

  test('is asked by no more than one agent in 200 ms where the program keeps that distance', () => {
    const all = play({ items: 12, concurrency: 12, capacity: two, agents, startGapMs: 200 })
    for (const { starts, statuses } of all) {
      expect(statuses).toEqual({ ok: 12 })
      starts.slice(1).forEach((at, i) => {
        expect(at - (starts[i] ?? 0)).toBeGreaterThanOrEqual(200)
      })
    }
  })
})

describe.each(['session', 'turns'] as const)('a provider that serves (%s)', (agents) => {
  test('one at a time completes a wave of 12', () => {
    for (const one of play({ items: 12, concurrency: 8, capacity: () => 1, agents }))
      expect(one.statuses).toEqual({ ok: 12 })
  })

  test('nobody for five minutes, and then all, completes a wave of 12, and is asked ever less often until then', () => {
    const all = play({ items: 12, concurrency: 8, capacity: (at) => (at < 300_000 ? 0 : 99), agents })
    for (const one of all) expect(one.statuses).toEqual({ ok: 12 })
    expect(most(all, (one) => one.refusedAgents)).toBeLessThanOrEqual(8 + 9)
    expect(mean(all, (one) => one.took) / 60_000).toBeLessThan(13)
  })

  test('nobody for two minutes in the midst completes a wave of 64, at its full speed again afterwards', () => {
    const out = (at: number): number => (at > 60_000 && at < 180_000 ? 0 : 99)
    const all = play({ items: 64, concurrency: 8, capacity: out, agents })
    for (const one of all) expect(one.statuses).toEqual({ ok: 64 })
    const calm = play({ items: 64, concurrency: 8, capacity: () => 99, agents })
    const lost = mean(all, (one) => one.took) - mean(calm, (one) => one.took)
    expect(lost / 60_000).toBeLessThan(6)
  })

  test('everybody is asked by all at once, and refuses nothing', () => {
    const all = play({ items: 16, concurrency: 8, capacity: () => 99, agents })
    for (const one of all)
      expect([one.statuses, one.refused, one.starts.filter((at) => at === 0).length]).toEqual([
        { ok: 16 },
        0,
        8,
      ])
  })

  test('two, and asks for a minute each time, completes a wave of 12', () => {
    const all = play({ items: 12, concurrency: 12, capacity: two, agents, retryAfterMs: 60_000 })
    for (const one of all) expect(one.statuses).toEqual({ ok: 12 })
  })
})

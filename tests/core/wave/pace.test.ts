import { describe, expect, test } from 'bun:test'
import { expectWake, keepDistance, type Paces, wake, willWake } from '../../../core/wave/pace.ts'

describe('the distance between two starts', () => {
  test('is the gap and at most a quarter more, another each time, and the same on replay', () => {
    const seen = new Set<number>()
    for (let n = 1; n <= 100; n++) {
      const paces: Paces = new Map()
      keepDistance(paces, 'agent', { gapMs: 200, mono: 1000, key: `run:${n}` })
      const at = paces.get('agent')?.notBefore ?? 0
      expect(at).toBeGreaterThanOrEqual(1200)
      expect(at).toBeLessThanOrEqual(1250)
      keepDistance(paces, 'agent', { gapMs: 200, mono: 1000, key: `run:${n}` })
      expect(paces.get('agent')?.notBefore).toBe(at)
      seen.add(at)
    }
    expect(seen.size).toBeGreaterThan(25)
  })

  test('is none for a backend without a gap', () => {
    const paces: Paces = new Map()
    keepDistance(paces, 'agent', { gapMs: 0, mono: 1000, key: 'run:1' })
    expect(paces.size).toBe(0)
  })
})

describe('the timer that wakes a run', () => {
  test('is set once for the same time, and another if it is needed sooner', () => {
    const paces: Paces = new Map()
    expect(willWake(paces, 'agent', 1500)).toBe(false)
    expectWake(paces, 'agent', 1500)
    expect(willWake(paces, 'agent', 1500)).toBe(true)
    expect(willWake(paces, 'agent', 9000)).toBe(true)
    expect(willWake(paces, 'agent', 1200)).toBe(false)
  })

  test('is forgotten when it has fired, and not when an earlier one has', () => {
    const paces: Paces = new Map()
    expectWake(paces, 'agent', 1500)
    wake(paces, 'agent', 1400)
    expect(paces.get('agent')?.wakeAt).toBe(1500)
    wake(paces, 'agent', 1500)
    expect(paces.get('agent')?.wakeAt).toBeNull()
    wake(paces, 'other', 1500)
    expect(paces.size).toBe(1)
  })
})

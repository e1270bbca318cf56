import { describe, expect, test } from 'bun:test'
import { lookEvery, readClocks, type Signs, startSigns } from '../../../core/agent/clocks.ts'
import type { Clocks } from '../../../core/agent/contract.ts'

const OFF: Clocks = { limitMs: null, inactivityMs: null, exitGraceMs: 0, emitGraceMs: 0 }
const START = 1000

interface Row {
  readonly signs?: Partial<Signs>
  readonly clocks?: Partial<Clocks>
  readonly output?: 'text' | 'stream'
  readonly at: number
  readonly lapsed: readonly string[]
}

function read({ signs = {}, clocks = {}, output = 'text', at }: Omit<Row, 'lapsed'>) {
  return readClocks({ ...startSigns(START), ...signs }, { ...OFF, ...clocks }, output, at)
}

function rules(title: string, rows: Record<string, Row>): void {
  describe(title, () => {
    test.each(Object.entries(rows))('%s', (_, row) => {
      expect(read(row).lapsed).toEqual(row.lapsed as never)
    })
  })
}

rules('the limit is wall clock from the start', {
  'off: never': { at: 1e9, lapsed: [] },
  'zero is off': { clocks: { limitMs: 0 }, at: 1e9, lapsed: [] },
  'not before': { clocks: { limitMs: 500 }, at: 1499, lapsed: [] },
  'at its end, whatever the signs of life': {
    clocks: { limitMs: 500 },
    signs: { life: 1499, output: 1499 },
    at: 1500,
    lapsed: ['limit'],
  },
})

rules('inactivity runs from the last sign of life', {
  'not before': { clocks: { inactivityMs: 300 }, signs: { life: 1200 }, at: 1499, lapsed: [] },
  'at its end': { clocks: { inactivityMs: 300 }, signs: { life: 1200 }, at: 1500, lapsed: ['inactivity'] },
  'a living descendant is no sign of life': {
    clocks: { inactivityMs: 300 },
    signs: { life: 1200, busy: 1499 },
    at: 1500,
    lapsed: ['inactivity'],
  },
})

rules('text output lingers after its last event', {
  'without an event nothing starts': { clocks: { emitGraceMs: 100 }, at: 9000, lapsed: [] },
  'at the end of the grace': {
    clocks: { emitGraceMs: 100 },
    signs: { event: 1200 },
    at: 1300,
    lapsed: ['lingering'],
  },
  'a sign of life starts it anew': {
    clocks: { emitGraceMs: 100 },
    signs: { event: 1200, life: 1250 },
    at: 1349,
    lapsed: [],
  },
  'a living descendant holds it up': {
    clocks: { emitGraceMs: 100 },
    signs: { event: 1200, busy: 1299 },
    at: 1350,
    lapsed: [],
  },
  'a grace of 0 is off': { signs: { event: 1200 }, at: 9000, lapsed: [] },
  'a terminal record means nothing here': {
    clocks: { exitGraceMs: 100 },
    signs: { terminal: 1200 },
    at: 9000,
    lapsed: [],
  },
})

rules('a stream lingers after its terminal record', {
  'at the end of the grace': {
    output: 'stream',
    clocks: { exitGraceMs: 100 },
    signs: { terminal: 1200 },
    at: 1300,
    lapsed: ['lingering'],
  },
  'output alone does not hold it up': {
    output: 'stream',
    clocks: { exitGraceMs: 100 },
    signs: { terminal: 1200, life: 1299, output: 1299 },
    at: 1300,
    lapsed: ['lingering'],
  },
  'it stands while something is open': {
    output: 'stream',
    clocks: { exitGraceMs: 100 },
    signs: { terminal: 1200, open: 1 },
    at: 9000,
    lapsed: [],
  },
  'an event starts nothing': {
    output: 'stream',
    clocks: { exitGraceMs: 100, emitGraceMs: 100 },
    signs: { event: 1200 },
    at: 9000,
    lapsed: [],
  },
})

rules('after a completion event an agent has little time, even with graces of 0', {
  'text: 5 s without output': {
    signs: { completion: 2000, output: 1500 },
    at: 7000,
    lapsed: ['completion'],
  },
  'text: output gives it more': { signs: { completion: 2000, output: 6000 }, at: 10_999, lapsed: [] },
  'text: 30 s in any case': {
    signs: { completion: 2000, output: 31_999 },
    at: 32_000,
    lapsed: ['completion'],
  },
  'stream: 15 s after the terminal record': {
    output: 'stream',
    signs: { completion: 2000, terminal: 4000 },
    at: 19_000,
    lapsed: ['completion'],
  },
  'stream: not before': {
    output: 'stream',
    signs: { completion: 2000, terminal: 4000 },
    at: 18_999,
    lapsed: [],
  },
  'stream: silence alone is no end': {
    output: 'stream',
    signs: { completion: 2000 },
    at: 61_999,
    lapsed: [],
  },
  'stream: 60 s in any case': {
    output: 'stream',
    signs: { completion: 2000, terminal: 4000, open: 2 },
    at: 62_000,
    lapsed: ['completion'],
  },
})

describe('when to look again', () => {
  test('never, if nothing can run out', () => {
    expect(read({ at: 1000 }).next).toBeNull()
    expect(read({ output: 'stream', clocks: { exitGraceMs: 100 }, at: 1000 }).next).toBeNull()
  })

  test('at the next end, the warning included', () => {
    expect(read({ clocks: { limitMs: 500, inactivityMs: 300 }, at: 1000 }).next).toBe(1100)
    expect(read({ clocks: { limitMs: 500, inactivityMs: 300 }, at: 1100 }).next).toBe(1300)
    expect(read({ clocks: { limitMs: 500, inactivityMs: 300 }, at: 1300 }).next).toBe(1500)
    expect(read({ clocks: { limitMs: 500, inactivityMs: 300 }, at: 1500 }).next).toBeNull()
  })

  test('silence is told of from a third of the limit on', () => {
    expect(read({ clocks: { inactivityMs: 300 }, at: 1099 }).quietMs).toBeNull()
    expect(read({ clocks: { inactivityMs: 300 }, at: 1150 }).quietMs).toBe(150)
    expect(read({ at: 9000 }).quietMs).toBeNull()
  })

  test('the tree is looked at only while a clock depends on it, eight times a window within bounds', () => {
    const signs = startSigns(START)
    const after = { ...signs, event: 1200 }
    expect(lookEvery(signs, OFF, 'text')).toBeNull()
    expect(lookEvery(signs, { ...OFF, emitGraceMs: 8000 }, 'text')).toBeNull()
    expect(lookEvery(after, { ...OFF, emitGraceMs: 8000 }, 'stream')).toBeNull()
    expect(lookEvery(after, { ...OFF, emitGraceMs: 8000 }, 'text')).toBe(1000)
    expect(lookEvery(after, { ...OFF, emitGraceMs: 8000, inactivityMs: 4000 }, 'text')).toBe(500)
    expect(lookEvery(signs, { ...OFF, inactivityMs: 300_000 }, 'stream')).toBe(5000)
    expect(lookEvery(signs, { ...OFF, inactivityMs: 100 }, 'stream')).toBe(100)
  })
})

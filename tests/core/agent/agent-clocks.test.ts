import { describe, expect, test } from 'bun:test'
import { HAS_PROCESS_TABLE } from '../../../core/agent/processes.ts'
import { type Rig, record, runFixture, streamBackend } from './rig.ts'

function lapses(rig: Rig): string[] {
  return rig.notes.flatMap((note) => (note.type === 'lapsed' ? [note.which] : []))
}

const TERMINAL = record({ type: 'terminal' })
const OPEN = record({ type: 'open', count: 1 })
const CLOSED = record({ type: 'open', count: 0 })

describe('a clock that runs out is told of once, and ends nothing', () => {
  test.concurrent('limit', async () => {
    await using rig = runFixture('forever.sh', { clocks: { limitMs: 50 } })
    expect(await rig.note('lapsed')).toEqual({ type: 'lapsed', which: 'limit' })
    await Bun.sleep(100)
    expect(rig.notes.map((note) => note.type)).toEqual(['started', 'said', 'lapsed'])
  })

  test('limit, in time although the agent prints without end', async () => {
    await using rig = runFixture('prints-without-end.sh', {
      backend: streamBackend(),
      clocks: { limitMs: 300 },
    })
    const before = performance.now()
    await rig.note('lapsed')
    expect(performance.now() - before).toBeLessThan(900)
  })

  test.concurrent('inactivity, after a warning at a third', async () => {
    await using rig = runFixture('forever.sh', { clocks: { inactivityMs: 600 } })
    const { silentMs } = await rig.note('quiet')
    expect(silentMs).toBeGreaterThanOrEqual(200)
    expect(silentMs).toBeLessThan(600)
    await rig.note('lapsed')
    expect(rig.notes.map((note) => note.type)).toEqual(['started', 'said', 'quiet', 'lapsed'])
    expect(lapses(rig)).toEqual(['inactivity'])
  })

  test.concurrent('none, once a stop was asked for', async () => {
    await using rig = runFixture('ignores-term.sh', { clocks: { limitMs: 100 } })
    await rig.line('ready')
    rig.handle.stop('interrupt')
    await rig.ended
    expect(lapses(rig)).toEqual([])
  })
})

describe('signs of life hold inactivity up', () => {
  test.concurrent('output', async () => {
    const args = Array.from({ length: 8 }, () => ['0.1s', '.']).flat()
    await using rig = runFixture('says-lines.sh', { args, clocks: { inactivityMs: 500 } })
    await rig.ended
    expect(lapses(rig)).toEqual([])
  })

  test.concurrent('accepted events', async () => {
    await using rig = runFixture('forever.sh', { clocks: { inactivityMs: 400 } })
    await rig.line('ready')
    for (let n = 0; n < 8; n++) {
      await Bun.sleep(100)
      rig.handle.eventAccepted()
    }
    expect(lapses(rig)).toEqual([])
    await rig.note('lapsed')
  })

  test.skipIf(!HAS_PROCESS_TABLE)('CPU time of the process, or of what it started', async () => {
    await using alone = runFixture('burns-cpu.sh', { args: ['2'], clocks: { inactivityMs: 500 } })
    await using child = runFixture('', {
      command: 'bash',
      args: ['-c', 'bash -c "end=\\$((SECONDS + 2)); while ((SECONDS < end)); do :; done"; true'],
      clocks: { inactivityMs: 500 },
    })
    await Promise.all([alone.ended, child.ended])
    expect([...lapses(alone), ...lapses(child)]).toEqual([])
  })
})

test.skipIf(!HAS_PROCESS_TABLE)(
  'a program that only turns over while it waits gives no sign of life',
  async () => {
    await using rig = runFixture('turns-over.sh', { clocks: { inactivityMs: 4000 } })
    await rig.note('lapsed')
    expect(lapses(rig)).toEqual(['inactivity'])
  },
  20_000,
)

describe.skipIf(!HAS_PROCESS_TABLE)('text output lingers', () => {
  test.concurrent('after an event, without a sign of life', async () => {
    await using rig = runFixture('forever.sh', { clocks: { emitGraceMs: 200 } })
    await rig.line('ready')
    await Bun.sleep(300)
    expect(lapses(rig)).toEqual([])
    rig.handle.eventAccepted()
    expect((await rig.note('lapsed')).which).toBe('lingering')
  })

  test.concurrent('but not while a descendant lives', async () => {
    const args = ['ready', '1s', 'done', 'HANG']
    await using rig = runFixture('says-lines.sh', { args, clocks: { emitGraceMs: 200 } })
    await rig.line('ready')
    rig.handle.eventAccepted()
    await rig.line('done')
    expect(lapses(rig)).toEqual([])
    expect((await rig.note('lapsed')).which).toBe('lingering')
  })

  test.concurrent('nor while it computes', async () => {
    await using rig = runFixture('burns-cpu.sh', { args: ['2'], clocks: { emitGraceMs: 600 } })
    await rig.note('started')
    rig.handle.eventAccepted()
    await rig.ended
    expect(lapses(rig)).toEqual([])
  })
})

test('a first look that comes too late proves nothing: the agent may have computed all the while', async () => {
  await using rig = runFixture('burns-cpu.sh', { args: ['2'], clocks: { emitGraceMs: 600 } })
  await rig.note('started')
  rig.handle.eventAccepted()
  // The machine is so busy that no timer of ours fires before the grace is over.
  Bun.sleepSync(800)
  await rig.ended
  expect(lapses(rig)).toEqual([])
})

describe('a stream lingers after its terminal record', () => {
  const stream = (args: readonly string[], exitGraceMs = 200): Rig =>
    runFixture('says-lines.sh', { backend: streamBackend(), args, clocks: { exitGraceMs } })

  test.concurrent('which alone starts the grace: an event does not', async () => {
    await using rig = stream([record({ type: 'text', text: 'ready' }), '0.5s', TERMINAL, 'HANG'])
    await rig.line('ready')
    rig.handle.eventAccepted()
    await rig.note('lapsed')
    const order = rig.notes.flatMap((note) => (note.type === 'said' ? [note.event.type] : [note.type]))
    expect(order).toEqual(['started', 'text', 'terminal', 'lapsed'])
  })

  test.concurrent('unless a later record takes it back', async () => {
    await using rig = stream([TERMINAL, '0.05s', record({ type: 'text', text: 'more' }), '0.5s', 'end'])
    await rig.ended
    expect(lapses(rig)).toEqual([])
  })

  test.concurrent('but not while a tool is open, and not before a grace after its end', async () => {
    await using rig = stream([OPEN, TERMINAL, '0.5s', CLOSED, '0.05s', 'x', 'HANG'])
    await rig.note('lapsed')
    const order = rig.notes.flatMap((note) => (note.type === 'said' ? [note.event.type] : [note.type]))
    expect(order).toEqual(['started', 'open', 'terminal', 'open', 'lapsed'])
  })

  test.concurrent('with a grace of 0 not at all', async () => {
    await using rig = stream([TERMINAL, '0.4s'], 0)
    await rig.ended
    expect(lapses(rig)).toEqual([])
  })
})

test.concurrent('after a completion event a silent text agent is given 5 s', async () => {
  await using rig = runFixture('forever.sh')
  await rig.line('ready')
  const before = performance.now()
  rig.handle.completionSeen()
  expect((await rig.note('lapsed')).which).toBe('completion')
  expect(performance.now() - before).toBeGreaterThanOrEqual(4990)
}, 20_000)

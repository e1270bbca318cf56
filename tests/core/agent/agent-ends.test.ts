import { describe, expect, test } from 'bun:test'
import type { StopCause } from '../../../core/agent/end.ts'
import { HAS_PROCESS_TABLE, isAlive, startTimeOf } from '../../../core/agent/processes.ts'
import { type Rig, runFixture, textBackend } from './rig.ts'

/** The process whose number a fixture printed behind `ready`. */
async function printed(rig: Rig): Promise<{ pid: number; startTime: string }> {
  const pid = Number(await rig.line('ready'))
  return { pid, startTime: startTimeOf(pid) }
}

const slowly = textBackend({
  invoke: ({ command = '' }) => ({ argv: [command], prompt: 'arg', killGraceMs: 60_000 }),
})

describe('stopping', () => {
  test('begins with TERM', async () => {
    await using rig = runFixture('forever.sh')
    await rig.line('ready')
    rig.handle.stop('worker-timeout')
    expect(await rig.ended).toMatchObject({
      exitCode: null,
      signal: 'SIGTERM',
      stoppedFor: 'worker-timeout',
      strays: [],
    })
  })

  test('goes on with KILL after the grace, 250 ms unless the backend says otherwise', async () => {
    await using rig = runFixture('ignores-term.sh')
    await rig.line('ready')
    const before = performance.now()
    rig.handle.stop('worker-timeout')
    expect((await rig.ended).signal).toBe('SIGKILL')
    const took = performance.now() - before
    expect(took).toBeGreaterThan(240)
    expect(took).toBeLessThan(1000)
  })

  test('waits 3 s at most, whatever the backend says; KILL at once cuts that short', async () => {
    await using rig = runFixture('ignores-term.sh', { backend: slowly })
    await rig.line('ready')
    const before = performance.now()
    rig.handle.stop('interrupt')
    rig.handle.kill()
    expect((await rig.ended).signal).toBe('SIGKILL')
    expect(performance.now() - before).toBeLessThan(200)
  })

  test('may be given another grace', async () => {
    await using rig = runFixture('ignores-term.sh', { backend: slowly })
    await rig.line('ready')
    const before = performance.now()
    rig.handle.stop('interrupt', 50)
    await rig.ended
    expect(performance.now() - before).toBeLessThan(240)
  })

  test('the first cause wins, and a stop after the end changes nothing', async () => {
    await using rig = runFixture('forever.sh')
    await rig.line('ready')
    rig.handle.stop('wave-deadline')
    rig.handle.stop('interrupt')
    expect((await rig.ended).stoppedFor).toBe('wave-deadline')
    rig.handle.stop('interrupt')
    rig.handle.kill()
    expect(rig.notes.filter((note) => note.type === 'ended').length).toBe(1)
  })

  test('may come before anything was told', async () => {
    await using rig = runFixture('forever.sh')
    rig.handle.stop('cancelled')
    expect((await rig.ended).stoppedFor).toBe('cancelled')
    expect(rig.notes.at(0)?.type).toBe('started')
    expect(rig.notes.at(-1)?.type).toBe('ended')
  })

  test('KILL without a stop before counts as an interrupt', async () => {
    await using rig = runFixture('ignores-term.sh')
    await rig.line('ready')
    rig.handle.kill()
    expect(await rig.ended).toMatchObject({ signal: 'SIGKILL', stoppedFor: 'interrupt' })
  })

  test('the group is given its grace although its leader ends at once', async () => {
    await using rig = runFixture('cleans-up-on-term.sh')
    await rig.line('ready')
    rig.handle.stop('interrupt')
    expect((await rig.ended).finalMessage).toBe('ready\ncleaned')
  })

  test('the session is told that it was we', async () => {
    const told: boolean[] = []
    const backend = textBackend()
    await using rig = runFixture('forever.sh', {
      backend: {
        ...backend,
        open: (task) => ({
          ...backend.open(task),
          end({ stoppedByUs }) {
            told.push(stoppedByUs)
            return { says: [], verdict: { ok: true } }
          },
        }),
      },
    })
    await rig.line('ready')
    rig.handle.stop('interrupt')
    await rig.ended
    expect(told).toEqual([true])
  })

  test('an agent that has closed its pipes ends like any other', async () => {
    await using rig = runFixture('closes-its-pipes-and-lives.sh')
    await rig.line('ready')
    rig.handle.stop('interrupt')
    expect((await rig.ended).signal).toBe('SIGTERM')
  })
})

describe.skipIf(!HAS_PROCESS_TABLE)('what belongs to a stopped agent', () => {
  const causes: StopCause[] = ['worker-timeout', 'wave-deadline', 'inactivity', 'interrupt', 'cancelled']
  const table: [string, string][] = [
    ['a child in its group', 'forks-grandchild.sh'],
    ['a tool in a session of its own', 'starts-tool-in-own-session.sh'],
    ['a tool without our environment', 'starts-tool-without-environment.sh'],
    ['a daemon, whose parent is gone', 'leaves-daemon-and-hangs.sh'],
  ]
  test.each(table)('%s goes with it', async (_, fixture) => {
    await using rig = runFixture(fixture)
    const one = await printed(rig)
    rig.handle.stop('worker-timeout')
    expect((await rig.ended).strays).toEqual([])
    expect(isAlive(one)).toBe(false)
  })

  test.each(causes)('goes after: %s', async (cause) => {
    await using rig = runFixture('leaves-daemon-and-hangs.sh')
    const one = await printed(rig)
    rig.handle.stop(cause)
    await rig.ended
    expect(isAlive(one)).toBe(false)
  })

  test('goes after KILL at once, too', async () => {
    await using rig = runFixture('leaves-daemon-and-hangs.sh')
    const one = await printed(rig)
    rig.handle.kill()
    await rig.ended
    expect(isAlive(one)).toBe(false)
  })

  test.each(['lingering', 'completion'] as const)('lives on after: %s, and is named', async (cause) => {
    await using rig = runFixture('leaves-daemon-and-hangs.sh')
    const one = await printed(rig)
    rig.handle.stop(cause)
    expect((await rig.ended).strays).toMatchObject([{ pid: one.pid, command: 'sleep 300' }])
    expect(isAlive(one)).toBe(true)
  })
})

describe.skipIf(!HAS_PROCESS_TABLE)('what an agent leaves behind after a normal end', () => {
  test('lives on and is named', async () => {
    await using rig = runFixture('leaves-daemon.sh')
    const one = await printed(rig)
    const end = await rig.ended
    expect(end).toMatchObject({ exitCode: 0, failure: null, stoppedFor: null })
    expect(end.strays).toMatchObject([{ pid: one.pid, command: 'sleep 300' }])
    expect(isAlive(one)).toBe(true)
  })

  test('is ended and named where strays are to be killed', async () => {
    await using rig = runFixture('leaves-daemon-holding-pipes.sh', { killStrays: true, args: ['3'] })
    const before = performance.now()
    const one = await printed(rig)
    const end = await rig.ended
    expect(end.exitCode).toBe(3)
    expect(end.strays).toMatchObject([{ pid: one.pid, command: 'sleep 300' }])
    expect(isAlive(one)).toBe(false)
    expect(performance.now() - before).toBeLessThan(1500)
  })

  test('holds the pipes for 2 s at most', async () => {
    await using rig = runFixture('leaves-daemon-holding-pipes.sh')
    const one = await printed(rig)
    const before = performance.now()
    const end = await rig.ended
    expect(performance.now() - before).toBeLessThan(3000)
    expect(end.durationMs).toBeLessThan(1500)
    expect(end.strays.map((stray) => stray.pid)).toEqual([one.pid])
  })

  test('is no stray if it ends by itself in a moment; its last words count', async () => {
    await using rig = runFixture('leaves-short-helper.sh')
    expect(await rig.ended).toMatchObject({ strays: [], finalMessage: 'first\nlast' })
  })
})

describe.skipIf(!HAS_PROCESS_TABLE)('agents with numbers that begin alike', () => {
  test('the end of one leaves the processes of the other alone', async () => {
    await using one = runFixture('starts-tool-in-own-session.sh')
    await using twelve = runFixture('', {
      command: 'bash',
      args: ['-c', `export RALPH_AGENT=${one.marker}2; setsid sleep 300 & echo "ready $!"; wait`],
    })
    const mine = await printed(one)
    const other = await printed(twelve)
    one.handle.stop('worker-timeout')
    await one.ended
    expect([isAlive(mine), isAlive(other)]).toEqual([false, true])
  })

  test('a zombie is no stray and holds nothing up', async () => {
    await using rig = runFixture('leaves-zombie.sh')
    await rig.line('ready')
    const before = performance.now()
    rig.handle.stop('lingering')
    expect((await rig.ended).strays).toEqual([])
    expect(performance.now() - before).toBeLessThan(1000)
  })
})

import { describe, expect, test } from 'bun:test'
import { HAS_PROCESS_TABLE, isAlive, startTimeOf } from '../../../core/agent/processes.ts'
import { endProcesses, findStrays, findTrees } from '../../../core/agent/strays.ts'
import { newMarker, runFixture } from './rig.ts'

describe.skipIf(!HAS_PROCESS_TABLE)('strays', () => {
  test('of several agents are found by their markers, and ended', async () => {
    await using a = runFixture('leaves-daemon.sh')
    await using b = runFixture('leaves-daemon.sh')
    const named = [...(await a.ended).strays, ...(await b.ended).strays].map(({ pid }) => pid).toSorted()
    const found = await findStrays([a.marker, b.marker, newMarker()])
    expect(found.map(({ pid }) => pid).toSorted()).toEqual(named)
    await endProcesses(found)
    expect(found.filter(isAlive)).toEqual([])
    expect(await findStrays([a.marker, b.marker])).toEqual([])
  })

  test('that ignore TERM are killed after the grace', async () => {
    await using rig = runFixture('', {
      command: 'bash',
      args: [
        '-c',
        '(setsid bash -c "trap \'\' TERM; echo up; exec >/dev/null 2>&1; while :; do sleep 300; done" &)',
      ],
    })
    await rig.line('up')
    await rig.ended
    const found = await findStrays([rig.marker])
    const before = performance.now()
    await endProcesses(found, 100)
    expect(performance.now() - before).toBeGreaterThan(95)
    expect(found.filter(isAlive)).toEqual([])
  })

  test('of a group are found without the marker', async () => {
    await using rig = runFixture('', {
      command: 'bash',
      args: ['-c', `env -i bash -c 'echo "ready $$"; exec sleep 300 >/dev/null 2>&1' & sleep 0.1`],
    })
    const pid = Number(await rig.line('ready'))
    const agent = await rig.note('started')
    expect((await rig.ended).strays).toMatchObject([{ pid, command: 'sleep 300' }])
    const found = await findStrays([rig.marker], agent.pid)
    expect(found).toEqual([{ pid, command: 'sleep 300', startTime: startTimeOf(pid) }])
    await endProcesses(found, 0)
  })

  test('are not taken from a stranger whose group has got the number', async () => {
    await using stranger = runFixture('forever.sh')
    const { pid } = await stranger.note('started')
    expect(await findStrays([newMarker()], pid)).toEqual([])
  })

  test('of an agent whose environment was cleared are found by its pid and start time, and what it started', async () => {
    await using rig = runFixture('', {
      command: 'env',
      args: ['-i', '/bin/bash', '-c', 'setsid /bin/sleep 300 & echo "up $!"; wait'],
    })
    const child = Number(await rig.line('up'))
    const { pid, startTime } = await rig.note('started')
    expect(await findStrays([rig.marker])).toEqual([])
    expect(await findTrees([{ pid, startTime: '1' }])).toEqual([])
    const found = await findTrees([{ pid, startTime }])
    expect(found.map((one) => one.pid).toSorted()).toEqual([pid, child].toSorted())
    await endProcesses(found, 0)
    expect(found.filter(isAlive)).toEqual([])
  })

  test('that have ended meanwhile, and other processes with their pid, are left alone', async () => {
    await using other = runFixture('forever.sh')
    const { pid, startTime } = await other.note('started')
    await endProcesses([{ pid, startTime: '1' }], 0)
    expect(isAlive({ pid, startTime })).toBe(true)
  })
})

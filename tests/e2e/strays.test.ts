import { describe, expect, test } from 'bun:test'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import { configure, FW, roleScript, run } from './fixtures.ts'
import { isAlive, outcome, settled } from './waves.ts'

/** W0 leaves a process behind and ends; W1 goes on until the test says `over`. */
function leavesOneBehind(box: Sandbox, features = {}): void {
  configure(box, FW({ features }))
  roleScript(box, {
    work: {
      0: 'setsid sleep 300 & echo $! > stray; EMIT item.done r0',
      1: 'until [ -e over ]; do sleep 0.02; done; EMIT item.done r1',
      else: 'EMIT item.done r2',
    },
    agg: 'ps -p "$(cat stray)" -o stat= > at-merge; EMIT LOOP_COMPLETE ok',
  })
}

const stray = (box: Sandbox): Promise<number> =>
  until('the stray', () => box.exists('stray') && Number(box.read('stray')))

describe.concurrent('what a worker leaves behind', () => {
  test('lives until its wave ends, then it is ended and named (case 198)', async () => {
    await using box = sandbox()
    leavesOneBehind(box)
    const going = box.start(['run', '-p', 'X'])
    const pid = await stray(box)
    await until('the end of worker 0', () => settled(box, 0))
    expect(isAlive(pid)).toBe(true)
    box.write('over', '')
    expect((await going.finished).code).toBe(0)
    expect(box.read('at-merge').trim()).toMatch(/^(Z\S*)?$/)
    expect(isAlive(pid)).toBe(false)
    expect(outcome(box, 0)).toMatchObject({ status: 'ok', remarks: [expect.stringContaining(`pid ${pid}`)] })
  })

  test('is ended at once with strays: kill (case 198)', async () => {
    await using box = sandbox()
    leavesOneBehind(box, { strays: 'kill' })
    const going = box.start(['run', '-p', 'X'])
    const pid = await stray(box)
    await until('the end of the stray', () => !isAlive(pid))
    expect(settled(box, 1)).toBe(false)
    box.write('over', '')
    expect((await going.finished).code).toBe(0)
    expect(outcome(box, 0).remarks[0]).toContain(`pid ${pid}`)
  })

  test('outlives the run with strays: keep, and is named (case 198)', async () => {
    await using box = sandbox()
    leavesOneBehind(box, { strays: 'keep' })
    box.write('over', '')
    expect((await run(box)).code).toBe(0)
    const pid = Number(box.read('stray'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
    expect(outcome(box, 0).remarks[0]).toContain(`pid ${pid}`)
  })

  test('goes with it when its time is up (case 198)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 2 } } }))
    roleScript(box, {
      work: {
        0: 'setsid sleep 300 & echo $! > stray; HANG',
        1: 'sleep 1; EMIT item.done r1',
        else: 'EMIT item.done r2',
      },
    })
    const going = box.start(['run', '-p', 'X'])
    const pid = await stray(box)
    await until('the outcome of worker 0', () => settled(box, 0))
    expect(isAlive(pid)).toBe(false)
    expect((await going.finished).code).toBe(0)
    expect(outcome(box, 0).status).toBe('timeout')
  })
})

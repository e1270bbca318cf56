import { describe, expect, test } from 'bun:test'
import {
  agentScript,
  claudeScript,
  configure,
  F,
  FP,
  FW,
  prompt,
  reason,
  roleScript,
  run,
  starts,
} from '../e2e/fixtures.ts'
import { isAlive, merged, outcome } from '../e2e/waves.ts'
import { sandbox } from '../helpers/sandbox.ts'
import { measured } from './measured.ts'

const OTHERS = 'EMIT item.done "r$RALPH_WAVE_INDEX"'

describe.concurrent('a worker that', () => {
  test.each([
    ['is suspended (SIGSTOP)', 'kill -STOP $$'],
    ['ignores TERM', `trap '' TERM; while :; do sleep 0.1; done`],
    ['prints nothing', 'exec sleep 30'],
    ['closes its pipes and lives on', 'exec <&- >&- 2>&-; sleep 30'],
  ])('%s is ended when its time is up; its siblings’ results count', async (_, act) => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 1 } } }))
    roleScript(box, { work: { 1: `echo $$ > pid; ${act}`, else: OTHERS } })
    const done = await run(box)
    expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
    expect(outcome(box, 1)).toMatchObject({ status: 'timeout', timeout_seconds: 1 })
    expect(done.stderr).toMatch(/✗ Worker 2\/3 failed \([12]\.\ds\) \[timeout\]/)
    expect(merged(box, 'item.done').filter((row) => row.wave_status === 'ok')).toHaveLength(2)
    expect(isAlive(Number(box.read('pid')))).toBe(false)
  })

  test.each([
    [
      'of its events file',
      'printf \'{"topic":"item.done","pay\' >> "$RALPH_EVENTS_FILE"; kill -9 $$',
      /failed|partial/,
    ],
    ['of its output', `printf 'half a li'; kill -9 $$`, /failed/],
  ])('dies in the middle of a line %s fails alone, and the line is told', async (_, act, status) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 1: act, else: OTHERS } })
    expect((await run(box)).code).toBe(0)
    expect(outcome(box, 1).status).toMatch(status)
    expect(outcome(box, 1).reason).toMatch(/SIGKILL/)
    expect(`${outcome(box, 1).reason} ${outcome(box, 1).remarks}`).toMatch(/half a li|bad line 1/)
    expect(merged(box, 'item.done').filter((row) => row.wave_status === 'ok')).toHaveLength(2)
  })

  test('drops its environment is heard all the same, and what it leaves behind ends with its wave', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: {
        1: `env -i /bin/sleep 300 > /dev/null 2>&1 & echo $! > pid
          env -i PATH="$PATH" "$RALPH_BIN" emit item.done r1 < /dev/null`,
        else: OTHERS,
      },
      agg: 'cp "/proc/$(cat pid)/stat" stat 2> /dev/null; EMIT LOOP_COMPLETE ok',
    })
    expect((await run(box)).code).toBe(0)
    expect(merged(box, 'item.done').map((row) => row.payload)).toEqual(['r0', 'r1', 'r2'])
    expect(outcome(box, 1).remarks.join()).toMatch(/left behind: \/bin\/sleep 300 \(pid \d+\)/)
    expect(isAlive(Number(box.read('pid')))).toBe(false)
    expect(box.exists('stat') ? box.read('stat') : ' Z ').toContain(' Z ')
  })

  test('says nothing that counts is told with its last words on stderr', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { publishes: ['item.done', 'item.other'] } } }))
    roleScript(box, { work: { 1: 'echo "the disk is full" >&2', else: OTHERS } })
    expect((await run(box)).code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({
      status: 'empty',
      reason: expect.stringMatching(/: the disk is full$/),
    })
  })
})

test('an iteration’s agent that is suspended is ended for inactivity, and the next one is told', async () => {
  await using box = sandbox()
  configure(box, F({ adapters: { custom: { timeout: 1 } } }))
  agentScript(box, ['kill -STOP $$', 'SAY LOOP_COMPLETE'])
  expect((await run(box)).code).toBe(0)
  expect([starts(box), reason(box)]).toEqual([2, 'completed'])
  expect(prompt(box, 2)).toContain('ended for inactivity')
})

/** Of everything at once: the runtime, what is being read, and garbage. Without bounds each of these took gigabytes. */
const MOST_MB = 900

describe('memory stays bounded', () => {
  test('when an agent prints without end', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 2 } } }))
    roleScript(box, { work: { 1: `exec yes "$(head -c 1000 /dev/zero | tr '\\0' z)"`, else: OTHERS } })
    const done = await measured(box, ['run', '-p', 'X'])
    expect([done.code, outcome(box, 1).status]).toEqual([0, 'timeout'])
    expect(done.megabytes).toBeLessThan(MOST_MB)
  })

  test('when an agent prints a line of 100 MB, as text and in a stream', async () => {
    const line = `head -c 100000000 /dev/zero | tr '\\0' y; echo`
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 1: `${line}; ${OTHERS}`, else: OTHERS } })
    const text = await measured(box, ['run', '-p', 'X'])
    expect([text.code, outcome(box, 1).status]).toEqual([0, 'ok'])
    expect(text.megabytes).toBeLessThan(MOST_MB)

    await using other = sandbox()
    configure(other, FP())
    claudeScript(other, [`${line}; SAY LOOP_COMPLETE`])
    const stream = await measured(other, ['run', '-p', 'X'])
    expect([stream.code, reason(other)]).toEqual([0, 'completed'])
    expect(stream.megabytes).toBeLessThan(MOST_MB)
  })

  test('when an events file gets a line of 200 MB: it is a bad line, and what follows is read', async () => {
    await using box = sandbox()
    configure(box, F())
    const huge = `{ printf '{"topic":"a","payload":"'; head -c 200000000 /dev/zero | tr '\\0' y; echo '"}'; }`
    agentScript(box, [`${huge} >> "$RALPH_EVENTS_FILE"; EMIT after x`, 'SAY LOOP_COMPLETE'])
    const done = await measured(box, ['run', '-p', 'X'])
    expect(done.code).toBe(0)
    expect(prompt(box, 2)).toContain('Event: after - x')
    expect(prompt(box, 2)).toMatch(/event\.malformed.*longer than \d+ bytes/)
    expect(done.megabytes).toBeLessThan(MOST_MB)
  })
})

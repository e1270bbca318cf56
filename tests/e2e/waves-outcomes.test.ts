import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { claudeScript, configure, FP, FW, played, roleScript, run, runId } from './fixtures.ts'
import { carriers, isAlive, MEETING, merged, outcome, promptOf, told } from './waves.ts'

const HANG = 'sleep 300'
const SILENT = ':'

describe.concurrent('how an item ends', () => {
  test('without an event the final message is the result on the hat’s one topic (case 123)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 1: 'SAY text1', 2: SILENT, else: 'EMIT item.done r' } })
    await run(box)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok', from: 'final_message' })
    expect(merged(box, 'item.done')[1]).toMatchObject({
      wave_index: 1,
      payload: 'text1',
      wave_status: 'ok',
    })
    expect(outcome(box, 2)).toMatchObject({ status: 'empty' })
    expect(promptOf(box, 'agg')).toContain('received 2/3')
  })

  test.each([
    ['two topics and no default', { publishes: ['item.done', 'item.blocked'] }, 'empty', 0],
    [
      'two topics and a default',
      { publishes: ['item.done', 'item.blocked'], default_publishes: 'item.done' },
      'ok',
      1,
    ],
    [
      'the promise as default',
      { publishes: ['item.done', 'LOOP_COMPLETE'], default_publishes: 'LOOP_COMPLETE' },
      'empty',
      0,
    ],
  ])(
    'with %s a final message counts only where it has a topic (case 123)',
    async (_, work, status, results) => {
      await using box = sandbox()
      configure(box, FW({ hats: { work } }))
      roleScript(box, { disp: 'WAVE item.go a', work: 'SAY text1' })
      expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
      expect(outcome(box, 0)).toMatchObject({ status })
      expect(merged(box).filter(({ payload }) => payload === 'text1')).toHaveLength(results)
      expect(promptOf(box, 'agg')).toContain(`received ${results}/1`)
    },
  )

  test('a bad end after an event is partial, without one a failure with code or signal (case 124)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go a b c d',
      work: {
        1: 'EMIT item.done x; exit 1',
        2: 'echo boom >&2; exit 7',
        3: 'kill -KILL $$',
        else: 'EMIT item.done r',
      },
    })
    await run(box)
    expect(outcome(box, 1)).toMatchObject({ status: 'partial', reason: expect.stringMatching(/\b1\b/) })
    expect(merged(box, 'item.done')[1]).toMatchObject({ payload: 'x', wave_status: 'partial' })
    expect(outcome(box, 2)).toMatchObject({ status: 'failed', reason: expect.stringMatching(/\b7\b.*boom/) })
    expect(outcome(box, 3)).toMatchObject({ status: 'failed', reason: expect.stringContaining('SIGKILL') })
    expect(promptOf(box, 'agg')).toContain('received 2/4')
  })

  test('a program that cannot be started fails each item with the system’s words, and the run goes on (case 125)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { backend: { command: './missing' } } } }))
    roleScript(box)
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    for (const index of [0, 1, 2]) {
      expect(outcome(box, index)).toMatchObject({
        status: 'spawn_failed',
        reason: expect.stringMatching(/ENOENT|no such file/i),
      })
    }
    expect(promptOf(box, 'agg')).toContain('received 0/3')
  })

  test('a worker’s timeout ends it, results stay, and TERM is followed by KILL (case 126)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 1 } } }))
    roleScript(box, {
      work: {
        0: HANG,
        1: 'EMIT item.done x; while :; do echo more; sleep 0.1; done',
        2: `trap '' TERM; echo $$ > stubborn; while :; do sleep 0.1; done`,
      },
    })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(Number(told(done, 'wave_completed')[0]?.duration_ms)).toBeLessThan(4000)
    expect(outcome(box, 0)).toMatchObject({ status: 'timeout', timeout_seconds: 1 })
    expect(outcome(box, 1)).toMatchObject({ status: 'partial', reason: 'timeout' })
    expect(outcome(box, 2)).toMatchObject({ status: 'timeout', timeout_seconds: 1 })
    expect(isAlive(Number(box.read('stubborn')))).toBe(false)
    expect(outcome(box, 2).duration_ms).toBeWithin(1200, 2500)
    expect(merged(box, 'item.done').find(({ wave_index }) => wave_index === 0)).toMatchObject({
      wave_status: 'timeout',
      timeout_seconds: 1,
    })
  })

  test('at the deadline running items time out, waiting ones never start, results stay (case 127)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { agg: { aggregate: { timeout: 2 } } } }))
    roleScript(box, { disp: 'WAVE item.go a b c d e f', work: { 0: 'EMIT item.done r0', else: HANG } })
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(outcome(box, 0)).toMatchObject({ status: 'ok' })
    for (const index of [1, 2, 3]) expect(outcome(box, index)).toMatchObject({ status: 'timeout' })
    for (const index of [4, 5]) {
      expect(outcome(box, index)).toMatchObject({ status: 'timeout', reason: 'never started (deadline)' })
    }
    const text = promptOf(box, 'agg')
    expect(text).toContain('received 1/6')
    expect(text).toContain('2 never started')
    expect(text).toContain('completed: timeout')
    expect(done.stderr).toMatch(/Wave complete: 1 succeeded, 5 failed \([0-3]\.\d+s\)/)
    expect(done.stderr).toMatch(/2 items never started.*aggregate\.timeout.*concurrency/)
    expect(carriers(`RALPH_AGENT=${runId(box)}:`)).toEqual([])
  })

  test('a worker may take longer than its aggregator’s timeout if its hat says so, with a warning (case 128)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 3 }, agg: { aggregate: { timeout: 1 } } } }))
    roleScript(box, { work: { 1: 'sleep 2; EMIT item.done late', else: 'EMIT item.done r' } })
    const done = await run(box)
    expect(done.stderr).toMatch(/warning: .*hats\.work\.timeout.*3.*hats\.agg\.aggregate\.timeout.*1/)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok' })
    expect(promptOf(box, 'agg')).toContain('received 3/3')
  })

  test('a left-over process that holds the pipes neither holds up the wave nor outlives it (case 129)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: { 1: '(setsid sleep 300 &); EMIT item.done x', else: 'EMIT item.done r' },
      agg: 'grep -lazE "^RALPH_AGENT=$RALPH_RUN_ID:[2-4]$" /proc/[0-9]*/environ 2> /dev/null > left; EMIT LOOP_COMPLETE ok',
    })
    const done = await run(box, ['--json'])
    expect(Number(told(done, 'wave_completed')[0]?.duration_ms)).toBeLessThan(5000)
    expect(outcome(box, 1)).toMatchObject({
      status: 'ok',
      remarks: [expect.stringMatching(/left behind: .*sleep 300 \(pid \d+\)/)],
    })
    expect(box.read('left')).toBe('')
    expect(carriers(`RALPH_AGENT=${runId(box)}:`)).toEqual([])
  })

  test('output that is no text does not keep a timeout from its work (case 129)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 1 } } }))
    roleScript(box, { work: { 1: `printf '\\xff\\xfe\\x80\\n\\xc3'; ${HANG}`, else: 'EMIT item.done r' } })
    expect((await run(box)).code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({ status: 'timeout' })
  })

  test('text: who lingers after its event is ended, who still has a child is not (case 130)', async () => {
    await using box = sandbox()
    configure(box, FW({ features: { emit_grace_seconds: 1 } }))
    roleScript(box, {
      work: { 0: 'EMIT item.done r; HANG', 1: 'EMIT item.done r; sleep 2.5; touch ended-by-itself' },
    })
    await run(box)
    expect(outcome(box, 0)).toMatchObject({ status: 'ok', reason: null })
    expect(outcome(box, 0).duration_ms).toBeWithin(900, 3500)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok', reason: null })
    expect(box.exists('ended-by-itself')).toBe(true)
  })

  test('a stream: not silence, but its last record starts the grace, and an open tool stops it (case 130)', async () => {
    await using box = sandbox()
    const { hats, event_loop } = FW()
    configure(box, FP({ hats, event_loop, features: { exit_grace_seconds: 1 } }))
    const record = (value: unknown): string => `printf '%s\\n' '${JSON.stringify(value)}'`
    const result = record({ type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.5 })
    const tool = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'x' } }
    const closed = { type: 'tool_result', tool_use_id: 't1', content: 'done' }
    claudeScript(box, {
      work: {
        0: `EMIT item.done r; sleep 2.5; touch silent; ${result}; HANG`,
        1: `${record({ type: 'assistant', message: { content: [tool] } })}; EMIT item.done r; ${result}; sleep 2.5
          ${record({ type: 'user', message: { content: [closed] } })}; touch closed-the-tool; ${result}; HANG`,
        else: 'EMIT item.done r',
      },
    })
    expect((await run(box)).code).toBe(0)
    expect(outcome(box, 0)).toMatchObject({ status: 'ok', reason: null })
    expect(box.exists('silent')).toBe(true)
    expect(outcome(box, 0).duration_ms).toBeWithin(3400, 6000)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok', reason: null })
    expect(box.exists('closed-the-tool')).toBe(true)
    expect(outcome(box, 1).duration_ms).toBeWithin(3400, 6000)
  })

  test('a bad line in a worker’s file is told in its outcome, and is no trouble of the loop (case 131)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 1: 'BAD; EMIT item.done x', else: 'EMIT item.done r' } })
    const done = await run(box)
    expect(done.code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({
      status: 'ok',
      remarks: [expect.stringMatching(/bad line 1/)],
    })
    expect(done.stderr).not.toContain('event.malformed')
    expect(promptOf(box, 'agg')).not.toContain('event.malformed')
    expect(played(box).filter((name) => name === 'agg')).toHaveLength(1)
  })

  test('what a worker’s left-over writes after its end is ignored', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: {
        1: `${MEETING} { AWAIT end; EMIT item.done late; DONE late; } > /dev/null 2>&1 & EMIT item.done x`,
        2: `${MEETING} until [ -e ".ralph/runs/$RALPH_RUN_ID/waves/$RALPH_WAVE_ID/1/outcome.json" ]; do sleep 0.02; done
          DONE end; AWAIT late; EMIT item.done r`,
        else: 'EMIT item.done r',
      },
    })
    await run(box)
    expect(merged(box).map(({ payload }) => payload)).toEqual(['r', 'x', 'r'])
  })
})

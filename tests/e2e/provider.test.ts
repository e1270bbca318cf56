import { describe, expect, test } from 'bun:test'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import {
  agentScript,
  type Config,
  configure,
  F,
  FC,
  FW,
  onMock,
  reason,
  rows,
  run,
  rundir,
  starts,
} from './fixtures.ts'
import { merged, outcome, theWave, told } from './waves.ts'

/** A fixture on the mock, with its script. */
function rehearse(box: Sandbox, config: Config, script: string): void {
  box.write('m.yml', script)
  configure(box, onMock(config))
}

/** What the mock noted when its agents started. */
const started = (box: Sandbox): Record<string, unknown>[] =>
  box.rows(rundir(box, 'mock-ledger.jsonl')).filter((row) => row.event === 'start')

const TURNED_AWAY = (retryAfter: number): string => `hats:
  coordinator:
    attempts:
      1:
        - fail: { class: rate_limit, message: too many, retry_after_seconds: ${retryAfter} }
    steps:
      - emit: { topic: LOOP_COMPLETE, payload: made it }
`

describe.concurrent('a provider that turns the agent away', () => {
  test('is waited for, and the same work is tried again in the same iteration (case 176)', async () => {
    await using box = sandbox()
    rehearse(box, F(), TURNED_AWAY(1))
    const began = performance.now()
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'made it\n' })
    expect(performance.now() - began).toBeGreaterThan(1000)
    expect(started(box)).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
    expect(rows(box, 'iteration.summary')).toHaveLength(1)
    expect(done.stderr).toMatch(/rate_limit.*\d\d:\d\d/)
    expect(done.stderr).not.toMatch(/failed/)
  })

  test('is not waited for beyond the time of the run (case 176)', async () => {
    await using box = sandbox()
    rehearse(box, F({ event_loop: { max_runtime_seconds: 5 } }), TURNED_AWAY(60))
    const began = performance.now()
    expect((await run(box)).code).toBe(2)
    expect(reason(box)).toBe('max_runtime')
    expect(performance.now() - began).toBeLessThan(4000)
  })

  test('is waited for no longer when the user stops the run (case 176)', async () => {
    await using box = sandbox()
    rehearse(box, F(), TURNED_AWAY(60))
    const going = box.start(['run', '-p', 'X'])
    await until('the first agent', () => {
      if (!box.exists('.ralph/current-loop-id')) return false
      const ledger = rundir(box, 'mock-ledger.jsonl')
      return box.exists(ledger) && box.rows(ledger).some((row) => row.event === 'end')
    })
    box.write('.ralph/stop-requested', '')
    const done = await going.finished
    expect([done.code, reason(box), started(box).length]).toEqual([1, 'stopped', 1])
  })
})

describe.concurrent('trouble with the account', () => {
  test('ends the run at once (case 177)', async () => {
    await using box = sandbox()
    rehearse(box, F(), 'hats: { coordinator: [{ fail: { class: auth, message: log in first } }] }\n')
    const done = await run(box)
    expect([done.code, reason(box), started(box).length]).toEqual([1, 'backend_unavailable', 1])
    expect(done.stderr).toContain('log in first')
    expect(done.stderr).toMatch(
      /mock: log in with the program itself, or set its key; then `ralph run --continue`/,
    )
  })

  test('says how to log in to the program that met it, where that is known', async () => {
    await using box = sandbox()
    box.script(
      'bin/claude',
      `#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.332; exit; fi
cat > /dev/null
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}'
exit 1
`,
    )
    const env = { PATH: `${box.path('bin')}:/usr/bin:/bin`, IS_SANDBOX: '1' }
    const done = await run(box, ['-b', 'claude', '--json'], { env })
    expect(done.code).toBe(1)
    expect(done.stderr).toMatch(/claude: log in \(.*ANTHROPIC_API_KEY\); then `ralph run --continue`/)
    const [end] = told(done, 'loop_terminated')
    expect(end).toMatchObject({
      reason: 'backend_unavailable',
      trouble: { backend: 'claude', class: 'auth', login: expect.stringContaining('ANTHROPIC_API_KEY') },
    })
    const wave = await box.ralph(['wave', 'run', '-b', 'claude', '-j', '2'], { env, stdin: 'a\nb\nc\nd\n' })
    expect(wave.code).toBe(1)
    expect(wave.stdout).toBe('')
    expect(wave.stderr).toMatch(/error: failed: auth: Invalid API key\n *claude: log in \(/)
    expect(wave.stderr).toMatch(/then the same command with `--resume`/)
  })

  test('says until when a quota is used up, if the provider says so', async () => {
    await using box = sandbox()
    const quota = '{ class: quota, message: daily quota, retry_after_seconds: 86400 }'
    rehearse(box, F(), `hats: { coordinator: [{ fail: ${quota} }] }\n`)
    const done = await run(box)
    expect([done.code, reason(box)]).toEqual([1, 'backend_unavailable'])
    expect(done.stderr).toMatch(
      /mock: the quota is used up until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d: wait, or raise it/,
    )
  })

  test('in a wave lets running workers finish, starts no other and merges nothing, until --continue (case 177)', async () => {
    await using box = sandbox()
    rehearse(
      box,
      FW(),
      `hats:
  disp:
    - wave: { topic: item.go, payloads: [a, b, c, d, e, f] }
  work:
    items:
      1:
        - run: until [ -e ready-0 ] && [ -e ready-2 ]; do sleep 0.02; done
        - fail: { class: auth, message: log in first }
    steps:
      - run: |
          touch ready-$INDEX
          until grep -q '"event":"end".*"index":1,' .ralph/runs/$RALPH_RUN_ID/mock-ledger.jsonl; do sleep 0.02; done
      - emit: { topic: item.done, payload: "r{index}" }
`,
    )
    const done = await run(box)
    expect([done.code, reason(box)]).toEqual([1, 'backend_unavailable'])
    expect(
      started(box)
        .filter((row) => row.kind === 'worker')
        .map((row) => row.index)
        .sort(),
    ).toEqual([0, 1, 2])
    expect(merged(box)).toEqual([])
    expect([outcome(box, 0).status, outcome(box, 2).status]).toEqual(['ok', 'ok'])

    box.write('m.yml', wave('[{ emit: { topic: item.done, payload: late } }]'))
    const again = await box.ralph(['run', '--continue'])
    expect(again).toMatchObject({ code: 0, stdout: 'ok\n' })
    const later = started(box).slice(4)
    expect(
      later
        .filter((row) => row.kind === 'worker')
        .map((row) => row.index)
        .sort(),
    ).toEqual([1, 3, 4, 5])
    expect(merged(box).map((row) => row.payload)).toEqual(['r0', 'late', 'r2', 'r3', 'r4', 'r5'])
  })
})

/** A wave of three on the mock, whose worker 1 does what a case says. */
const wave = (worker1: string): string => `hats:
  disp:
    - wave: { topic: item.go, payloads: [a, b, c] }
  work:
    items:
      1: ${worker1}
    steps:
      - emit: { topic: item.done, payload: "r{index}" }
  agg:
    - emit: { topic: LOOP_COMPLETE, payload: ok }
`
const OVERLOADED = '{ fail: { class: overload, message: try later } }'
const RETRY = { features: { retry: { backoff_seconds: 1 } } }

describe.concurrent('a worker that fails', () => {
  test('for overload runs again as the same item: one activation, the logs of both attempts (case 178)', async () => {
    await using box = sandbox()
    const script = `{ attempts: { 1: [${OVERLOADED}] }, steps: [{ emit: { topic: item.done, payload: again } }] }`
    rehearse(box, FW({ ...RETRY, hats: { work: { max_activations: 3 } } }), wave(script))
    const done = await run(box)
    expect(done.code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok', attempts: 2 })
    expect(merged(box).map((row) => row.payload)).toEqual(['r0', 'again', 'r2'])
    const logs = rundir(box, 'waves', theWave(box), '1')
    expect([box.exists(`${logs}/stdout.log`), box.exists(`${logs}/stdout.2.log`)]).toEqual([true, true])
    expect(done.stderr).toMatch(/↻ Worker 2\/3 again in .* \[overload\] attempt 2\/3 — b/)
  })

  test('for overload each time is tried three times, and its class is told (case 178)', async () => {
    await using box = sandbox()
    rehearse(box, FW(RETRY), wave(`[${OVERLOADED}]`))
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({ status: 'failed', attempts: 3 })
    expect(outcome(box, 1).reason).toContain('overload')
    expect(told(done, 'wave_worker_done').find((row) => row.index === 1)).toMatchObject({ attempts: 3 })
  })

  test('is tried as often as its hat says (case 178)', async () => {
    await using box = sandbox()
    rehearse(box, FW({ ...RETRY, hats: { work: { retry: { attempts: 1 } } } }), wave(`[${OVERLOADED}]`))
    await run(box)
    expect(outcome(box, 1)).toMatchObject({ status: 'failed', attempts: 1 })
  })

  test('after it has emitted keeps what it emitted, and is not tried again (case 178)', async () => {
    await using box = sandbox()
    rehearse(box, FW(RETRY), wave(`[{ emit: { topic: item.done, payload: half } }, ${OVERLOADED}]`))
    await run(box)
    expect(outcome(box, 1)).toMatchObject({ status: 'partial', attempts: 1 })
    expect(merged(box)[1]).toMatchObject({ payload: 'half', wave_status: 'partial' })
  })

  test('by an exit code is not tried again, unless the config says so (case 178)', async () => {
    await using box = sandbox()
    rehearse(box, FW(RETRY), wave('[{ exit: 1 }]'))
    await run(box)
    expect(outcome(box, 1)).toMatchObject({ status: 'failed', attempts: 1 })
    await using other = sandbox()
    rehearse(other, FW({ features: { retry: { backoff_seconds: 1, on: ['crash'] } } }), wave('[{ exit: 1 }]'))
    await run(other)
    expect(outcome(other, 1)).toMatchObject({ status: 'failed', attempts: 3 })
  })
})

describe.concurrent('silence with hats', () => {
  test.each([
    [
      'max_silent_iterations iterations end the run',
      ':',
      { max_silent_iterations: 5 },
      [1, 5, 'no_progress'],
    ],
    ['0 switches that off', ':', { max_silent_iterations: 0, max_iterations: 7 }, [2, 7, 'max_iterations']],
    [
      'a scratchpad that grows is progress',
      'mkdir -p .ralph/agent; echo $START >> .ralph/agent/scratchpad.md',
      { max_iterations: 7 },
      [2, 7, 'max_iterations'],
    ],
  ])('%s (case 179)', async (_, agent, event_loop, wanted) => {
    await using box = sandbox()
    configure(box, FC({ event_loop }))
    agentScript(box, agent)
    const done = await run(box)
    expect([done.code, starts(box), reason(box)]).toEqual(wanted)
  })
})

describe.concurrent('a completion that is rejected', () => {
  test('three times for the same reason ends the run (case 180)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { required_events: ['a'] } }))
    agentScript(box, 'EMIT LOOP_COMPLETE')
    const done = await run(box)
    expect([done.code, starts(box), reason(box)]).toEqual([1, 3, 'no_progress'])
  })

  test('for another reason in between does not (case 180)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { required_events: ['a', 'c'], max_iterations: 4 } }))
    const asks = 'EMIT LOOP_COMPLETE'
    agentScript(box, [asks, `EMIT a; ${asks}`, asks, asks])
    const done = await run(box)
    expect([done.code, starts(box)]).toEqual([2, 4])
  })
})

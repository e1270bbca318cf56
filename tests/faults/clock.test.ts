import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { configure, FW, roleScript, rows, runEvents } from '../e2e/fixtures.ts'
import { MEETING, outcome } from '../e2e/waves.ts'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'

const HAS_COMPILER = process.platform === 'linux' && Bun.which('cc') !== null
const SKIPPED = HAS_COMPILER ? '' : ' (skipped: no cc to build the clock with)'

describe.concurrent('a wall clock that is set in the middle of a wave', () => {
  test.skipIf(!HAS_COMPILER).each([
    ['a day back', -86_400],
    ['a day on', 86_400],
  ])(`%s: limits and durations do not notice, and no result is lost${SKIPPED}`, async (_, jump) => {
    await using box = sandbox()
    await box.sh(`cc -shared -fPIC -o clock.so '${join(import.meta.dir, 'clock.c')}' -ldl`)
    configure(
      box,
      FW({
        event_loop: { max_runtime_seconds: 60 },
        hats: { work: { timeout: 2 }, agg: { aggregate: { timeout: 20 } } },
      }),
    )
    roleScript(box, {
      work: {
        0: `${MEETING} MEET there 3; : > jumped; sleep 0.5; EMIT item.done r0`,
        1: `${MEETING} MEET there 3; sleep 0.5; EMIT item.done r1`,
        2: `${MEETING} MEET there 3; exec sleep 30`,
      },
    })
    const done = await withClock(box, jump)
    expect(done.code).toBe(0)
    expect([0, 1, 2].map((index) => outcome(box, index))).toMatchObject([
      { status: 'ok' },
      { status: 'ok' },
      { status: 'timeout', timeout_seconds: 2 },
    ])
    const durations = [
      ...[0, 1, 2].map((index) => outcome(box, index).duration_ms),
      ...runEvents(done).flatMap(({ duration_ms: ms }) => (typeof ms === 'number' ? [ms] : [])),
      ...rows(box, 'iteration.summary').map((row) => Number(JSON.parse(String(row.payload)).duration_ms)),
    ]
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...durations)).toBeLessThan(20_000)
    expect(String(rows(box, 'loop.terminate').at(-1)?.payload)).toMatch(/Duration: \d s/)
  })
})

const withClock = (box: Sandbox, jump: number): ReturnType<Sandbox['ralph']> =>
  box.ralph(['run', '-p', 'X', '--json'], {
    env: { LD_PRELOAD: box.path('clock.so'), JUMP_FILE: box.path('jumped'), JUMP: String(jump) },
  })

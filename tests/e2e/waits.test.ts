import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FC, played, prompt, reason, run, runEvents, starts } from './fixtures.ts'

// Cases that must wait, in one file, so that they wait together.

/** Milliseconds that the run took, by its own account. */
const duration = (events: Record<string, unknown>[]): number => Number(events.at(-1)?.duration_ms)

/** Computes for as many seconds, without a word. */
const compute = (seconds: number): string =>
  `until=$((SECONDS + ${seconds})); while ((SECONDS < until)); do :; done`

describe('an agent that goes on after its event', () => {
  test.concurrent('is ended when it shows no sign of life, which is no failure (case 71)', async () => {
    await using box = sandbox()
    configure(box, FC({ features: { emit_grace_seconds: 1 }, event_loop: { max_consecutive_failures: 1 } }))
    agentScript(box, ['EMIT b.go 1; HANG', 'EMIT LOOP_COMPLETE ok'])
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(played(box)).toEqual(['a', 'b'])
    const [first] = runEvents(done).filter((event) => event.type === 'iteration_end')
    expect(first).toMatchObject({ success: true })
    expect(first?.duration_ms).toBeWithin(900, 3_500)
  })

  test.concurrent('is left alone while a child of it lives (case 71)', async () => {
    await using box = sandbox()
    configure(box, FC({ features: { emit_grace_seconds: 1 } }))
    agentScript(box, ['EMIT b.go 1; sleep 4; touch slept', 'EMIT LOOP_COMPLETE ok'])
    expect((await run(box)).code).toBe(0)
    expect(box.exists('slept')).toBe(true)
  })

  test.concurrent.skipIf(process.platform !== 'linux')(
    'is left alone while it computes (case 71)',
    async () => {
      await using box = sandbox()
      configure(box, FC({ features: { emit_grace_seconds: 1 } }))
      agentScript(box, [`EMIT b.go 1; ${compute(4)}; touch computed`, 'EMIT LOOP_COMPLETE ok'])
      expect((await run(box)).code).toBe(0)
      expect(box.exists('computed')).toBe(true)
    },
  )
})

describe('inactivity', () => {
  const patient = (adapter: string) =>
    F({ adapters: { [adapter]: { timeout: 3 } }, event_loop: { max_consecutive_failures: 1 } })

  test.concurrent.each(['custom', 'claude'])(
    'is warned of and then ended, as adapters.%s.timeout says (case 74)',
    async (adapter) => {
      await using box = sandbox()
      configure(box, patient(adapter))
      agentScript(box, 'HANG')
      const begun = performance.now()
      const done = await run(box)
      expect(done.code).toBe(1)
      expect(performance.now() - begun).toBeWithin(2_900, 5_500)
      expect([starts(box), reason(box)]).toEqual([1, 'consecutive_failures'])
      expect(done.stderr).toMatch(/warning: .*\b1 s\b/)
      expect(done.stderr).toContain('inactivity')
    },
  )

  test.concurrent('is not what an agent shows that prints now and then (case 74)', async () => {
    await using box = sandbox()
    configure(box, patient('custom'))
    agentScript(box, 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do SAY $i; sleep 0.4; done; SAY LOOP_COMPLETE')
    expect((await run(box)).code).toBe(0)
  })

  test.concurrent.skipIf(process.platform !== 'linux')(
    'nor one that computes in silence (case 74)',
    async () => {
      await using box = sandbox()
      configure(box, patient('custom'))
      agentScript(box, `${compute(5)}; SAY LOOP_COMPLETE`)
      expect((await run(box)).code).toBe(0)
    },
  )
})

describe('an agent that does not end after completion', () => {
  test.concurrent('is given 5 s of silence (case 84)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, "trap '' TERM; EMIT LOOP_COMPLETE ok; HANG")
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(duration(runEvents(done))).toBeWithin(4_900, 10_000)
    expect(runEvents(done).at(-1)).toMatchObject({ result: 'ok' })
  })

  test.concurrent('is given 30 s in any case (case 84)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, "trap '' TERM; EMIT LOOP_COMPLETE ok; while :; do SAY more; sleep 0.2; done")
    const begun = performance.now()
    const done = await run(box, ['-q'])
    expect(performance.now() - begun).toBeWithin(29_000, 40_000)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
  })
})

describe('a stdin that stays open and silent', () => {
  test.concurrent('is given up after 3 s where another source serves (case 159)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    box.write('PROMPT.md', 'what PROMPT.md says')
    const begun = performance.now()
    const done = await box.sh('mkfifo p; exec 3<>p; "$RALPH_BIN" run <&3')
    expect(performance.now() - begun).toBeWithin(2_900, 6_000)
    expect(done.code).toBe(0)
    expect(done.stderr).toContain('stdin stayed open and silent')
    expect(prompt(box, 1)).toContain('what PROMPT.md says')
  })

  test.concurrent('is given up after 3 s for the objective that a run has kept (case 159)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, ['EMIT x', 'SAY LOOP_COMPLETE'])
    expect((await run(box, ['--max-iterations', '1'])).code).toBe(2)
    const begun = performance.now()
    const done = await box.sh('mkfifo p; exec 3<>p; "$RALPH_BIN" run --continue <&3')
    expect(performance.now() - begun).toBeWithin(2_900, 6_000)
    expect(done.code).toBe(0)
    expect(prompt(box, 2)).toMatch(/## OBJECTIVE\n[\s\S]*\nX\n/)
  })

  test.concurrent('is an error after 30 s where none does (case 159)', async () => {
    await using box = sandbox()
    configure(box, F())
    const begun = performance.now()
    const done = await box.sh('mkfifo p; exec 3<>p; "$RALPH_BIN" run <&3')
    expect(performance.now() - begun).toBeWithin(29_000, 34_000)
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('stdin is open') })
  })
})

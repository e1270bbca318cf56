import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { agentScript, claudeScript, configure, F, FP, run, runEvents } from './fixtures.ts'

describe('run --json', () => {
  test.concurrent('is run events alone, from loop_started to loop_terminated (case 100)', async () => {
    await using box = sandbox()
    configure(box, FP())
    claudeScript(box, ['SAY "some words"; EMIT x 1', 'SAY more; EMIT LOOP_COMPLETE ok'])
    const done = await run(box, ['--json'])
    const events = runEvents(done)
    expect(events.every((event) => typeof event.type === 'string')).toBe(true)
    expect(events[0]).toMatchObject({
      type: 'loop_started',
      prompt: 'X',
      backend: 'claude',
      continued: false,
    })
    expect(events.at(-1)).toMatchObject({
      type: 'loop_terminated',
      reason: 'completed',
      exit_code: 0,
      total_iterations: 2,
      total_cost_usd: 1,
      cost_source: 'reported',
      result: 'ok',
    })
    expect(events.filter((event) => event.type === 'text_delta')).toMatchObject([
      { iteration: 1, delta: 'some words' },
      { iteration: 2, delta: 'more' },
    ])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'orchestration_event', topic: 'x', payload: '1' }),
    )
  })

  test.concurrent('has its last line on every end (case 100)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_iterations: 1 } }))
    agentScript(box, 'SAY talk; EMIT x')
    const done = await run(box, ['--json'])
    expect(done.code).toBe(2)
    expect(runEvents(done).at(-1)).toMatchObject({ reason: 'max_iterations', exit_code: 2 })
  })
})

test.concurrent.each([[[]], [['--json']]])(
  'a backend’s own records are never shown: run %j (case 100)',
  async (args) => {
    await using box = sandbox()
    configure(box, FP())
    claudeScript(box, 'SAY words; EMIT LOOP_COMPLETE ok')
    const done = await run(box, args)
    expect(done.code).toBe(0)
    for (const text of [done.stdout, done.stderr]) {
      expect(text).not.toContain('total_cost_usd":0.5,"num_turns')
      expect(text).not.toContain('"assistant"')
    }
  },
)

describe('the start of a run', () => {
  test.concurrent('names program, access and budgets on stderr (case 161)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    const plain = await run(box)
    expect(plain.stderr).toMatch(/custom \(\.\/agent\.sh\): \w+/)
    expect(plain.stderr).toContain('no cost limit')
    const quiet = await run(box, ['-q'])
    expect(quiet.stderr).not.toContain('no cost limit')
    expect(quiet.stderr).toMatch(/^── Run ended: completed \| exit 0 .*\n$/)

    configure(box, FP({ event_loop: { max_cost_usd: 3 } }))
    claudeScript(box, 'EMIT LOOP_COMPLETE')
    const limited = await run(box)
    expect(limited.stderr).toContain('--dangerously-skip-permissions')
    expect(limited.stderr).toContain('$3')
    expect(limited.stderr).not.toContain('no cost limit')
  })
})

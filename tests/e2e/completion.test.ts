import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import {
  agentScript,
  type Config,
  claudeScript,
  configure,
  F,
  FP,
  prompt,
  reason,
  run,
  runEvents,
  type Script,
  starts,
} from './fixtures.ts'

/** Runs F with these keys of `event_loop`. */
async function runF(eventLoop: Config, script: Script) {
  const box = sandbox()
  configure(box, F({ event_loop: eventLoop }))
  agentScript(box, script)
  const done = await run(box)
  return {
    box,
    ...done,
    starts: starts(box),
    reason: reason(box),
    [Symbol.asyncDispose]: box[Symbol.asyncDispose],
  }
}

describe('the promise as last line of the text', () => {
  test.concurrent.each([2, 1])('completes the run, with %i iterations allowed (case 76)', async (max) => {
    await using done = await runF({ max_iterations: max }, 'SAY LOOP_COMPLETE')
    expect(done).toMatchObject({ code: 0, starts: 1, reason: 'completed' })
  })

  test.concurrent.each([
    ['in the middle', "SAY $'LOOP_COMPLETE soon\\nLOOP_COMPLETE\\nno, more to do'"],
    ['in an event', `SAY '<event topic="x">LOOP_COMPLETE</event>'`],
    ['on stderr', 'SAY LOOP_COMPLETE >&2'],
  ])('does not count %s (case 77)', async (_, script) => {
    await using done = await runF({ max_iterations: 1 }, script)
    expect(done).toMatchObject({ code: 2, reason: 'max_iterations', stdout: '' })
  })

  test.concurrent('counts whatever stderr says later (case 77)', async () => {
    await using done = await runF({ max_iterations: 1 }, 'SAY LOOP_COMPLETE; sleep 0.1; echo late >&2')
    expect(done).toMatchObject({ code: 0, reason: 'completed' })
  })
})

describe('the promise as event', () => {
  test.concurrent('is ignored if a plain event follows, which is said (case 78)', async () => {
    await using done = await runF({}, ['EMIT LOOP_COMPLETE; EMIT other 1'])
    expect(done).toMatchObject({ code: 0, starts: 2 })
    expect(done.stderr).toMatch(/LOOP_COMPLETE was ignored.*other/)
    expect(prompt(done.box, 2)).toContain('Event: other - 1')
  })

  test.concurrent('is not hindered by a human.* event (case 78)', async () => {
    await using done = await runF({}, ['EMIT LOOP_COMPLETE fine; EMIT human.note hi'])
    expect(done).toMatchObject({ code: 0, starts: 1, stdout: 'fine\n' })
  })
})

describe('stdout', () => {
  const LONG = 'a\\n\\n`b` $c \\"d\\" 漢🙂'

  test.concurrent('is exactly the payload of the promise (case 79)', async () => {
    await using done = await runF({}, `SAY 'some talk'; EMIT LOOP_COMPLETE $'${LONG}'`)
    expect(done.stdout).toBe('a\n\n`b` $c "d" 漢🙂\n')
  })

  test.concurrent('is else the final message, without the promise (case 79)', async () => {
    await using empty = await runF({}, "SAY $'line one\\nline two'; EMIT LOOP_COMPLETE")
    expect(empty.stdout).toBe('line one\nline two\n')
    await using text = await runF({}, "SAY $'line one\\nline two\\nLOOP_COMPLETE\\n\\n'")
    expect(text.stdout).toBe('line one\nline two\n')
    await using nothing = await runF({}, 'SAY LOOP_COMPLETE')
    expect(nothing.stdout).toBe('')
  })

  test.concurrent('of a backend with a stream is its last message (case 79)', async () => {
    await using box = sandbox()
    configure(box, FP())
    claudeScript(box, 'SAY first; SAY "the last"; EMIT LOOP_COMPLETE')
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'the last\n' })
  })

  test.concurrent('stays empty on any other end (case 79)', async () => {
    await using limit = await runF({ max_iterations: 1 }, 'SAY talk; EMIT x')
    expect(limit).toMatchObject({ code: 2, stdout: '' })
    await using failed = await runF({ max_consecutive_failures: 1 }, 'SAY talk; exit 1')
    expect(failed).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('completion is refused', () => {
  test.concurrent('while required events are missing (case 80)', async () => {
    await using done = await runF({ required_events: ['a'] }, [
      'EMIT LOOP_COMPLETE',
      'EMIT a',
      'EMIT LOOP_COMPLETE yes',
    ])
    expect(done).toMatchObject({ code: 0, starts: 3, stdout: 'yes\n' })
    expect(prompt(done.box, 2)).toMatch(/Event: task\.resume - <top-level-prompt>\n.*not been seen: a\./)
  })

  test.concurrent('always, if the run is persistent (case 81)', async () => {
    await using done = await runF({ persistent: true, max_iterations: 5 }, 'EMIT LOOP_COMPLETE')
    expect(done).toMatchObject({ code: 2, starts: 5, reason: 'max_iterations', stdout: '' })
  })

  test.concurrent('until guidance is acknowledged (case 83)', async () => {
    await using done = await runF({}, [
      `LINE '{"topic":"human.guidance","payload":"use tabs"}'; EMIT x`,
      'EMIT LOOP_COMPLETE early',
      'EMIT human.guidance.ack; EMIT y',
      'EMIT LOOP_COMPLETE late',
    ])
    expect(done).toMatchObject({ code: 0, starts: 4, stdout: 'late\n' })
    const guided = [1, 2, 3, 4].map((k) => /^## GUIDANCE\n/m.test(prompt(done.box, k)))
    expect(guided).toEqual([false, true, true, false])
    expect(prompt(done.box, 2)).toContain('use tabs')
    expect(done.box.read('.ralph/agent/scratchpad.md').match(/use tabs/g)).toHaveLength(1)
  })

  test.concurrent('but not for another human.* event, which is only shown (case 83)', async () => {
    await using done = await runF({}, ['EMIT human.interact "which one?"'])
    expect(done).toMatchObject({ code: 0, starts: 2 })
    expect(prompt(done.box, 2)).toContain('Event: human.interact - which one?')
  })
})

describe('cancellation', () => {
  test.concurrent.each([
    ['alone', 'EMIT loop.cancel'],
    ['before the promise', 'EMIT loop.cancel; EMIT LOOP_COMPLETE no'],
    ['after the promise', 'EMIT LOOP_COMPLETE no; EMIT loop.cancel'],
  ])('ends the run at once, %s (case 82)', async (_, script) => {
    await using done = await runF({ cancellation_promise: 'loop.cancel', required_events: ['a'] }, script)
    expect(done).toMatchObject({ code: 0, starts: 1, reason: 'cancelled', stdout: '' })
  })

  test.concurrent('is off while its topic is empty (case 82)', async () => {
    await using done = await runF({ cancellation_promise: '' }, ['EMIT loop.cancel'])
    expect(done).toMatchObject({ code: 0, starts: 2, reason: 'completed' })
    expect(prompt(done.box, 2)).toContain('Event: loop.cancel')
  })
})

test.concurrent('a completed iteration says so in its run event (case 79)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, ['EMIT x', 'EMIT LOOP_COMPLETE ok'])
  const ends = runEvents(await run(box, ['--json'])).filter((event) => event.type === 'iteration_end')
  expect(ends.map((event) => event.loop_complete_triggered)).toEqual([false, true])
})

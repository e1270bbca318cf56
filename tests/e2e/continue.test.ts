import { describe, expect, test } from 'bun:test'
import { sandbox, until } from '../helpers/sandbox.ts'
import {
  agentScript,
  type Config,
  claudeScript,
  configure,
  F,
  FC,
  FP,
  hat,
  main,
  played,
  prompt,
  reason,
  roleScript,
  rows,
  run,
  runEvents,
  runId,
  starts,
} from './fixtures.ts'

describe('ralph run --continue', () => {
  test.concurrent('needs an earlier run (case 90)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    expect(await run(box, ['--continue'])).toMatchObject({ code: 1, stdout: '' })
    expect(starts(box)).toBe(0)
  })

  test.concurrent('goes on under the same id, in the same file, also without .ralph/ (case 90)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, ['EMIT one.topic', 'EMIT two.topic', 'SAY LOOP_COMPLETE'])
    expect((await run(box, ['--max-iterations', '1'])).code).toBe(2)
    const [id, file] = [runId(box), main(box)]

    expect((await box.ralph(['run', '--continue', '--max-iterations', '1'])).code).toBe(2)
    expect([runId(box), main(box)]).toEqual([id, file])
    expect(rows(box, 'task.start')).toHaveLength(1)
    expect(rows(box, 'task.resume')).toMatchObject([{ hat: 'loop', iteration: 0, triggered: 'planner' }])
    expect(prompt(box, 2)).toContain('Event: one.topic')
    expect(prompt(box, 2)).not.toContain('Event: task.resume')

    await box.sh('rm -r .ralph')
    expect((await box.ralph(['run', '--continue'])).code).toBe(0)
    expect([runId(box), main(box)]).toEqual([id, file])
    expect(prompt(box, 3)).toContain('Event: two.topic')
  })

  test.concurrent('loses no event of the iteration that hit the limit (case 91)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT b.go 1', 'EMIT LOOP_COMPLETE ok'])
    expect((await run(box, ['--max-iterations', '1'])).code).toBe(2)
    const again = ['run', '--continue', '--max-iterations', '1']
    expect((await box.ralph([...again, '--total-limits'])).code).toBe(2)
    expect(starts(box)).toBe(1)
    expect(await box.ralph(again)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box)).toEqual(['a', 'b'])
    expect(prompt(box, 2)).toContain('Event: b.go - 1')
  })

  test.concurrent('keeps activations, seen topics, objective and iteration number (case 92)', async () => {
    await using box = sandbox()
    const hats = {
      dev: hat('dev', { triggers: ['work.start', 'rev.changes'], publishes: ['rev.go'] }),
      rev: hat('rev', { triggers: ['rev.go'], publishes: ['rev.changes'], max_activations: 2 }),
    }
    configure(box, F({ event_loop: { starting_event: 'work.start', required_events: ['once'] }, hats }))
    roleScript(box, {
      dev: ['EMIT rev.go 1; EMIT once', 'EMIT rev.go 2', 'EMIT rev.go 3'],
      rev: 'EMIT rev.changes "$START"',
      ralph: 'EMIT LOOP_COMPLETE "$START"',
    })
    const first = await box.ralph(['run', '-p', 'the kept objective', '--max-iterations', '2'])
    expect(first.code).toBe(2)
    const second = await box.ralph(['run', '--continue', '--max-iterations', '4', '--json'])
    expect(second.code).toBe(0)
    expect(played(box)).toEqual(['dev', 'rev', 'dev', 'rev', 'dev', 'ralph'])
    expect(prompt(box, 6)).toContain('Event: rev.exhausted')
    expect(prompt(box, 3)).toContain('the kept objective')
    expect(runEvents(second)[0]).toMatchObject({ type: 'loop_started', continued: true, run_id: runId(box) })
    const begun = runEvents(second).filter((event) => event.type === 'iteration_start')
    expect(begun[0]).toMatchObject({ iteration: 3 })
  })

  test.concurrent('counts what was spent, until the limit is raised (case 92)', async () => {
    await using box = sandbox()
    configure(box, FP({ event_loop: { max_cost_usd: 0.9 } }))
    claudeScript(box, ['EMIT x 1', 'EMIT x 2', 'EMIT x 3; EMIT LOOP_COMPLETE ok'])
    expect((await run(box)).code).toBe(2)
    expect([starts(box), reason(box)]).toEqual([2, 'max_cost'])
    expect((await box.ralph(['run', '--continue'])).code).toBe(2)
    expect(starts(box)).toBe(2)
    const raised = await box.ralph(['run', '--continue', '--json', '-c', 'event_loop.max_cost_usd=2'])
    expect(raised.code).toBe(0)
    expect(runEvents(raised).at(-1)).toMatchObject({ total_cost_usd: 1.5, result: 'ok' })
  })

  test.concurrent('runs an iteration again that a crash has cut (case 93)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, [
      'EMIT b.go first',
      'EMIT note.x early; touch begun; HANG',
      'EMIT b.go again',
      'EMIT LOOP_COMPLETE ok',
    ])
    const started = box.start(['run', '-p', 'X'])
    await until('the second agent', () => box.exists('begun'))
    started.kill('SIGKILL')
    await started.finished
    expect(await box.ralph(['run', '--continue'])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box)).toEqual(['a', 'b', 'b', 'b'])
    expect(prompt(box, 3)).toContain('Event: b.go - first')
    expect(prompt(box, 4)).toContain('Event: note.x - early')
    expect(
      (await box.sh('grep -las "RALPH_AGENT=$0:" /proc/[0-9]*/environ'.replace('$0', runId(box)))).stdout,
    ).toBe('')
  })

  test.concurrent('keeps scratchpads (case 29)', async () => {
    await using box = sandbox()
    const config: Config = FC({ hats: { b: { scratchpad: '.ralph/agent/b.md' } } })
    configure(box, config)
    agentScript(box, [
      'mkdir -p .ralph/agent; echo "of the run" > .ralph/agent/scratchpad.md; echo "of hat b" > .ralph/agent/b.md; EMIT b.go',
    ])
    expect((await run(box, ['--max-iterations', '1'])).code).toBe(2)
    expect((await box.ralph(['run', '--continue'])).code).toBe(0)
    expect(prompt(box, 2)).toContain('of hat b')
    expect(box.read('.ralph/agent/scratchpad.md')).toBe('of the run\n')
    expect(box.read('.ralph/agent/b.md')).toBe('of hat b\n')
  })
})

import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import {
  agentScript,
  configure,
  F,
  FC,
  hat,
  played,
  prompt,
  roleScript,
  run,
  runEvents,
  starts,
} from './fixtures.ts'

describe('an event goes to one hat', () => {
  test.concurrent('the one that waits for it, which alone is in the prompt (case 54)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT b.go 1', 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(starts(box)).toBe(2)
    expect(prompt(box, 1)).toContain('You are hat a.')
    expect(prompt(box, 1)).not.toContain('You are hat b.')
    expect(prompt(box, 2)).toContain('You are hat b.')
    expect(prompt(box, 2)).not.toContain('You are hat a.')
  })

  test.concurrent('else it is the coordinator’s (case 55)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT nobody.x lost'])
    await run(box)
    expect(prompt(box, 2)).toContain('## HATS')
    expect(prompt(box, 2)).not.toContain('## ACTIVE HAT')
    expect(prompt(box, 2)).toContain('Event: nobody.x - lost')
  })

  test.concurrent.each([
    ['impl.*', 'impl.done', true],
    ['impl.*', 'impl.x.done', false],
    ['*.done', 'impl.done', true],
  ])('a star in %s stands for one segment: %s (case 56)', async (pattern, topic, takes) => {
    await using box = sandbox()
    configure(box, F({ hats: { p: hat('p', { triggers: [pattern], publishes: ['LOOP_COMPLETE'] }) } }))
    agentScript(box, [`EMIT ${topic}`])
    await run(box)
    expect(played(box)[1]).toBe(takes ? 'p' : 'ralph')
  })

  test.concurrent('a lone star takes only what nobody else does, wherever it stands (case 57)', async () => {
    await using box = sandbox()
    const log = hat('log', { triggers: ['*'], publishes: ['b.go', 'other'] })
    const b = hat('b', { triggers: ['b.go'], publishes: ['other'] })
    configure(box, F({ event_loop: { starting_event: 'work.start' }, hats: { log, b } }))
    roleScript(box, { log: ['EMIT b.go', 'EMIT LOOP_COMPLETE'], b: 'EMIT other' })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(played(box)).toEqual(['log', 'b', 'log'])
    expect(prompt(box, 2)).not.toContain('You are hat log.')
    const begun = runEvents(done).filter((event) => event.type === 'iteration_start')
    expect(begun.map((event) => event.hats)).toEqual([['log'], ['b'], ['log']])
  })

  test.concurrent('the first of two that match gets it, once, and the config says so (case 58)', async () => {
    await using box = sandbox()
    const z = hat('z', { triggers: ['x.*'], publishes: ['LOOP_COMPLETE'] })
    const a = hat('a', { triggers: ['*.go'], publishes: ['x.go'] })
    configure(box, F({ event_loop: { starting_event: 'work.go' }, hats: { z, a } }))
    roleScript(box, { z: 'EMIT LOOP_COMPLETE', a: 'EMIT x.go 1' })
    const done = await run(box)
    expect(done.code).toBe(0)
    expect(played(box)).toEqual(['a', 'z'])
    expect(prompt(box, 2)).not.toContain('You are hat a.')
    expect(prompt(box, 2).match(/Event: x\.go/g)).toHaveLength(1)
    expect(done.stderr).toMatch(/"z".*"a"/)
  })

  test.concurrent('all that is pending is in the prompt, and the start no more (case 59)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT build.start 1; EMIT b.go 2', 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(prompt(box, 2)).toContain('Event: build.start - 1')
    expect(prompt(box, 2)).toContain('Event: b.go - 2')
    expect(prompt(box, 2)).not.toContain('Event: work.start')
    expect(played(box)).toEqual(['a', 'b'])
  })
})

describe('a hat', () => {
  test.concurrent('has its activations, and then says once that it is exhausted (case 60)', async () => {
    await using box = sandbox()
    const hats = {
      dev: hat('dev', { triggers: ['work.start', 'rev.changes'], publishes: ['rev.go'] }),
      rev: hat('rev', { triggers: ['rev.go'], publishes: ['rev.changes'], max_activations: 3 }),
      boss: hat('boss', { triggers: ['rev.exhausted'], publishes: ['rev.go', 'LOOP_COMPLETE'] }),
    }
    configure(box, F({ event_loop: { starting_event: 'work.start' }, hats }))
    roleScript(box, {
      dev: 'EMIT rev.go "$START"',
      rev: 'EMIT rev.changes "$START"',
      boss: ['EMIT rev.go again'],
      ralph: 'EMIT LOOP_COMPLETE',
    })
    const done = await run(box, ['--json'])
    expect(played(box)).toEqual(['dev', 'rev', 'dev', 'rev', 'dev', 'rev', 'dev', 'boss', 'ralph'])
    expect(prompt(box, 8)).toMatch(/Event: rev\.exhausted - .*rev.*rev\.go/)
    expect(prompt(box, 8)).not.toContain('You are hat rev.')
    const told = runEvents(done).filter((event) => event.topic === 'rev.exhausted')
    expect(told).toHaveLength(1)
  })

  test.concurrent('may have a program of its own (case 61)', async () => {
    await using box = sandbox()
    agentScript(box, 'EMIT b.go')
    box.script(
      'b.sh',
      '#!/bin/bash\ncat > on-stdin\nprintf %s "$1" > argument\n"$RALPH_BIN" emit LOOP_COMPLETE </dev/null\n',
    )
    configure(box, FC({ hats: { b: { backend: { command: './b.sh' } } } }))
    expect((await run(box)).code).toBe(0)
    expect(starts(box)).toBe(1)
    expect(box.read('argument')).toContain('You are hat b.')
    expect(box.read('on-stdin')).toBe('')
    configure(box, FC({ hats: { b: { backend: { command: './b.sh', prompt_mode: 'stdin' } } } }))
    expect((await run(box)).code).toBe(0)
    expect(box.read('argument')).toBe('')
    expect(box.read('on-stdin')).toContain('You are hat b.')
  })

  test.concurrent('needs no instructions to be active (case 62)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { a: { instructions: '' } } }))
    agentScript(box, 'SAY LOOP_COMPLETE')
    await run(box)
    expect(prompt(box, 1)).toContain('## ACTIVE HAT')
    expect(prompt(box, 1)).not.toContain('## WORKFLOW')
  })

  test.concurrent('is told what its topics mean (case 64)', async () => {
    await using box = sandbox()
    configure(box, FC({ events: { 'b.go': { description: 'D1 it is', on_trigger: 'T1 to do' } } }))
    agentScript(box, ['EMIT b.go'])
    await run(box)
    expect(prompt(box, 1)).toContain('D1 it is')
    expect(prompt(box, 1)).not.toContain('T1 to do')
    expect(prompt(box, 2)).toContain('T1 to do')
  })
})

describe('enforce_hat_scope', () => {
  const scoped = (more = {}) =>
    FC({ event_loop: { enforce_hat_scope: true, cancellation_promise: 'loop.cancel', ...more } })

  test.concurrent('drops undeclared topics, says so, and lets declared ones pass (case 63)', async () => {
    await using box = sandbox()
    configure(box, scoped())
    agentScript(box, ['EMIT zzz secret; EMIT b.go 1', 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(prompt(box, 2)).toMatch(/Event: a\.scope_violation - .*zzz.*b\.go/)
    expect(prompt(box, 2)).not.toContain('Event: zzz')
    expect(prompt(box, 2)).toContain('Event: b.go - 1')
  })

  test.concurrent.each([
    ['EMIT LOOP_COMPLETE done', 'done\n'],
    ['EMIT loop.cancel', ''],
  ])('never stands in the way of control topics: %s (case 63)', async (script, stdout) => {
    await using box = sandbox()
    configure(box, scoped())
    agentScript(box, script)
    expect(await run(box)).toMatchObject({ code: 0, stdout })
    expect(starts(box)).toBe(1)
  })

  test.concurrent('lets guidance pass, and leaves the coordinator free (case 63)', async () => {
    await using box = sandbox()
    configure(box, scoped())
    agentScript(box, [
      'EMIT human.guidance "mind the gap"; EMIT other.topic',
      'EMIT free.topic; EMIT human.guidance.ack',
    ])
    await run(box)
    expect(prompt(box, 2)).toContain('mind the gap')
    expect(played(box)).toEqual(['a', 'ralph', 'ralph'])
    expect(prompt(box, 3)).toContain('Event: free.topic')
    expect(prompt(box, 3)).not.toContain('scope_violation')
  })
})

import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import {
  agentRows,
  agentScript,
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
  rundir,
  starts,
} from './fixtures.ts'

describe('default_publishes', () => {
  test.concurrent('speaks for an agent that says nothing (case 65)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { a: { default_publishes: 'b.go' } } }))
    agentScript(box, [':', 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(played(box)).toEqual(['a', 'b'])
    expect(prompt(box, 2)).toContain('Event: b.go - \n')
  })

  test.concurrent('but not for one that failed, which gets its event again (case 65)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { a: { default_publishes: 'b.go' } } }))
    agentScript(box, ['exit 1'])
    await run(box)
    expect(played(box)).toEqual(['a', 'a'])
    expect(prompt(box, 2)).toContain('Event: work.start')
  })

  test.concurrent('never completes the run (case 66)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { a: { default_publishes: 'LOOP_COMPLETE' } } }))
    agentScript(box, ':')
    expect(await run(box)).toMatchObject({ code: 1, stdout: '' })
    expect(played(box)).toEqual(['a', 'a', 'a'])
    expect(prompt(box, 2)).toContain('Event: task.resume')
    expect(prompt(box, 3)).toContain('Event: task.resume')
    expect(reason(box)).toBe('no_progress')
  })

  test.concurrent('cannot carry a run for ever (case 68)', async () => {
    await using box = sandbox()
    const hats = {
      a: { default_publishes: 'b.go' },
      b: { publishes: ['work.start'], default_publishes: 'work.start' },
    }
    configure(box, FC({ hats }))
    agentScript(box, ':')
    expect((await run(box)).code).toBe(1)
    expect([starts(box), reason(box)]).toEqual([3, 'no_progress'])
  })

  test.concurrent('may go on where an agent speaks in between (case 68)', async () => {
    await using box = sandbox()
    const hats = {
      a: { default_publishes: 'b.go' },
      b: { publishes: ['work.start'], default_publishes: 'work.start' },
    }
    configure(box, FC({ hats }))
    agentScript(box, [':', ':', 'EMIT b.go real', ':', ':'])
    expect((await run(box)).code).toBe(0)
    expect(starts(box)).toBe(6)
  })
})

describe('silence', () => {
  test.concurrent('of a hat is answered with what it may say, three times (case 67)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ':')
    expect((await run(box)).code).toBe(1)
    expect(played(box)).toEqual(['a', 'a', 'a'])
    expect(reason(box)).toBe('no_progress')
    expect(prompt(box, 2)).toMatch(/No event arrived[^\n]*b\.go/)
  })

  test.concurrent('without hats is work (case 67)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_iterations: 6 } }))
    agentScript(box, ':')
    expect((await run(box)).code).toBe(2)
    expect([starts(box), reason(box)]).toEqual([6, 'max_iterations'])
  })
})

describe('failure', () => {
  test.concurrent('five times in a row ends the run; each is explained (case 69)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'echo oh dear >&2; exit 41')
    const done = await run(box)
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect([starts(box), reason(box)]).toEqual([5, 'consecutive_failures'])
    for (const text of [done.stderr, prompt(box, 2)]) {
      expect(text).toContain('exit code 41')
      expect(text).toContain('oh dear')
    }
  })

  test.concurrent('is forgotten after a good iteration (case 69)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, [...Array(4).fill('exit 1'), 'EMIT x', ...Array(4).fill('exit 1')])
    expect((await run(box)).code).toBe(0)
    expect(starts(box)).toBe(10)
    expect(prompt(box, 6)).not.toContain('exit code 1')
  })

  test.concurrent('to start a program is told in the system’s words (case 70)', async () => {
    await using box = sandbox()
    configure(box, F({ cli: { command: './missing' } }))
    const done = await run(box)
    expect(done.code).toBe(1)
    expect(reason(box)).toBe('consecutive_failures')
    expect(done.stderr).toContain('ENOENT')
    expect(box.read(rundir(box, 'journal.jsonl'))).toContain('ENOENT')
  })

  test.concurrent('is none once an event was accepted (case 71)', async () => {
    await using box = sandbox()
    configure(box, FC({ event_loop: { max_consecutive_failures: 1 } }))
    agentScript(box, ['EMIT b.go 1; exit 3', 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(played(box)).toEqual(['a', 'b'])
  })
})

describe('staleness', () => {
  test.concurrent.each<[string, string | string[]]>([
    ['one event', 'EMIT t p'],
    ['two, in any order', ['EMIT x 1; EMIT y 2', 'EMIT y 2; EMIT x 1', 'EMIT x 1; EMIT y 2']],
    ['task.complete, which is an ordinary topic', 'EMIT task.complete'],
  ])('the same three times in a row ends the run: %s (case 72)', async (_, script) => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, script)
    expect((await run(box)).code).toBe(1)
    expect([starts(box), reason(box)]).toEqual([3, 'loop_stale'])
  })

  test.concurrent.each<[string, string[]]>([
    ['other payloads', ['EMIT t 1', 'EMIT t 2', 'EMIT t 3', 'EMIT t 4']],
    ['other sets', ['EMIT x 1', 'EMIT x 1; EMIT y 2', 'EMIT x 1']],
  ])('there is none with %s (case 72)', async (_, script) => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, script)
    expect((await run(box)).code).toBe(0)
    expect(starts(box)).toBe(script.length + 1)
  })
})

test.concurrent('topics that meant something once are ordinary (case 73)', async () => {
  await using box = sandbox()
  const topics = ['build.done', 'review.done', 'verify.passed', 'build.blocked']
  const hats = Object.fromEntries(
    topics.map((topic, i) => [`h${i}`, hat(`h${i}`, { triggers: [topic], publishes: ['*'] })]),
  )
  configure(box, F({ hats }))
  roleScript(box, {
    ralph: ['EMIT build.done bare'],
    h0: 'EMIT review.done bare',
    h1: 'EMIT verify.passed bare',
    h2: "EMIT build.blocked $'same\\n1'",
    h3: ["EMIT build.blocked $'same\\n2'", "EMIT build.blocked $'same\\n3'", 'EMIT LOOP_COMPLETE'],
  })
  expect((await run(box)).code).toBe(0)
  expect(played(box)).toEqual(['ralph', 'h0', 'h1', 'h2', 'h3', 'h3', 'h3'])
  for (const [i, topic] of topics.slice(0, 3).entries()) {
    expect(prompt(box, i + 2)).toContain(`Event: ${topic} - bare\n`)
  }
  expect(prompt(box, 7)).not.toContain('abandoned')
  expect(box.read(main(box))).not.toContain('abandoned')
})

describe('events in the text of an agent', () => {
  const LONG = `<event topic="b.go">\n${'long '.repeat(400)}\n</event>`

  test.concurrent('arrive whole, and leave one row (case 75)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, [`SAY 'so be it: ${LONG}'`, 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(prompt(box, 2)).toContain(`Event: b.go - ${'long '.repeat(400).trim()}\n`)
    expect(rows(box, 'b.go')).toHaveLength(1)
    expect(agentRows(box).map((row) => row.topic)).toEqual(['b.go', 'LOOP_COMPLETE'])
  })

  test.concurrent('do not count beside one that was emitted (case 75)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, [`SAY '${LONG}'; EMIT b.go real`, 'EMIT LOOP_COMPLETE'])
    expect((await run(box)).code).toBe(0)
    expect(rows(box, 'b.go').map((row) => row.payload)).toEqual(['real'])
    expect(prompt(box, 2)).not.toContain('long long')
  })

  test.concurrent('are not looked for where a backend has a stream (case 75)', async () => {
    await using box = sandbox()
    configure(box, { ...FC(), ...FP() })
    claudeScript(box, [`SAY '<event topic="b.go">x</event>'`])
    await run(box)
    expect(rows(box, 'b.go')).toEqual([])
    expect(played(box)).toEqual(['a', 'a'])
  })
})

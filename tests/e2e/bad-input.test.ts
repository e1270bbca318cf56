import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { sandbox } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FC, FW, prompt, reason, roleScript, run, starts } from './fixtures.ts'
import { outcome } from './waves.ts'

describe.concurrent('bad input before anything runs', () => {
  test.each([
    ['an unknown command', ['rnu', '-p', 'x'], 2, /did you mean `ralph run`/],
    ['an unknown flag', ['run', '-p', 'x', '--max-iteration', '3'], 2, /--max-iteration\b/],
    ['a flag without its value', ['run', '-p'], 2, /--prompt needs a value/],
    ['an unknown key', ['run', '-p', 'x', '-c', 'event_loop.max_iteration=3'], 1, /max_iterations/],
    [
      'an unknown backend',
      ['run', '-p', 'x', '-b', 'clod'],
      1,
      /unknown backend "clod", did you mean "claude"/,
    ],
    ['an unknown preset', ['run', '-p', 'x', '-H', 'builtin:nope'], 1, /wave-review/],
    ['a collection that is not there', ['run', '-p', 'x', '-H', 'nope'], 1, /nope/],
    ['a config that is not there', ['run', '-p', 'x', '-c', 'nope.yml'], 1, /nope\.yml/],
    ['an empty objective', ['run', '-p', '  ', '-b', 'mock'], 1, /objective/],
    ['an objective that is not there', ['run', '-P', 'nope.md', '-b', 'mock'], 1, /nope\.md/],
    ['a folder for an objective', ['run', '-P', '.', '-b', 'mock'], 1, /EISDIR|directory|folder/],
    ['a folder for a config', ['run', '-p', 'x', '-c', '.'], 1, /EISDIR|directory|folder/],
    [
      'a folder of plugins that is not there',
      ['run', '-p', 'x', '-b', 'own', '--plugins', 'nope'],
      1,
      /"own"/,
    ],
  ])('%s: a clear word, the right code, no stack, nothing made', async (_, args, code, text) => {
    await using box = sandbox()
    const done = await box.ralph(args)
    expect(done).toMatchObject({ code, stdout: '' })
    expect(done.stderr).toMatch(text)
    expect(done.stderr).not.toMatch(/^\s+at /m)
    expect(readdirSync(box.dir)).toEqual([])
  })

  test.each([
    ['broken YAML', 'event_loop:\n  max_iterations: [1\nhats: }\n', /ralph\.yml:\d+:\d+/],
    ['a list for a config', '- a\n- b\n', /ralph\.yml:1:1.*mapping/],
    ['a binary config', '\u0000\u0001\ufffd: \u0002', /ralph\.yml/],
    ['a key given twice', 'cli: {backend: mock}\ncli: {backend: claude}\n', /ralph\.yml:2:1/],
    ['a number for a list', 'hats: {a: {name: A, triggers: 3}}\n', /ralph\.yml:1:\d+: hats\.a\.triggers/],
  ])('%s: the place and what is wrong, no agent, no .ralph/', async (_, text, wanted) => {
    await using box = sandbox()
    box.write('ralph.yml', text)
    const done = await box.ralph(['run', '-p', 'x', '-b', 'mock'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(wanted)
    expect(done.stderr).not.toMatch(/^\s+at /m)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('a file where .ralph/ should be: a clear word, and the file is left alone', async () => {
    await using box = sandbox()
    box.write('.ralph', 'mine\n')
    for (const args of [
      ['run', '-p', 'x', '-b', 'mock'],
      ['emit', 'a.topic', 'x'],
      ['wave', 'emit', 'a.topic', '--payloads', 'x'],
    ]) {
      const done = await box.ralph(args)
      expect([args[0], done.code, done.stdout]).toEqual([args[0], 1, ''])
      expect(done.stderr).toMatch(/^Error: .*\.ralph/)
      expect(done.stderr).not.toMatch(/^\s+at /m)
    }
    expect(box.read('.ralph')).toBe('mine\n')
  })

  test('a workspace that may not be written: a clear word, and nothing is started', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    // Root may write everywhere.
    const other = process.getuid?.() === 0 ? 'setpriv --reuid=65534 --regid=65534 --clear-groups' : ''
    const done = await box.sh(`chmod 755 .. . && chmod 555 . && ${other} "$RALPH_BIN" run -p x`)
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(/^Error: EACCES.*\.ralph/m)
    expect(done.stderr).not.toMatch(/^\s+at /m)
    expect(starts(box)).toBe(0)
  })

  test('a file where a folder of the state should be: wave run has nowhere to keep its run, and says so', async () => {
    await using box = sandbox()
    box.write('no-folder', 'mine\n')
    const done = await box.ralph(['wave', 'run', '-b', 'mock'], {
      stdin: 'a\n',
      env: { RALPH_STATE_DIR: box.path('no-folder') },
    })
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(/^Error: .*no-folder/)
    expect(done.stderr).not.toMatch(/^\s+at /m)
  })
})

describe.concurrent('bad input while a run goes on', () => {
  test('a malformed and a binary line cost nothing of what stands around them', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, [
      `EMIT x.before 1; BAD; head -c 3000 /dev/urandom | tr -d '\\n' >> "$RALPH_EVENTS_FILE"; LINE ''
      LINE '[1,2]'; LINE '{"topic":5}'; LINE '{"topic":"x.nul","payload":"\\u0000"}'; EMIT b.go after`,
      'EMIT LOOP_COMPLETE ok',
    ])
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(starts(box)).toBe(2)
    for (const wanted of ['x.before', 'Event: b.go - after', 'event.malformed', '{oops', 'x.nul'])
      expect(prompt(box, 2)).toContain(wanted)
  })

  test('an events file that is a folder ends the run with io_error, and says why', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(
      box,
      'rm -f "$RALPH_EVENTS_FILE"; mkdir "$RALPH_EVENTS_FILE"; touch "$RALPH_EVENTS_FILE/x"; SAY hi',
    )
    const done = await run(box)
    expect([done.code, done.stdout]).toEqual([1, ''])
    expect(done.stderr).toMatch(/EISDIR|directory|folder/)
    expect(done.stderr).toContain('io_error')
  })

  test('a missing program is a failure with the words of the system, in a wave too', async () => {
    await using box = sandbox()
    configure(box, F({ cli: { command: './missing' } }))
    const done = await run(box)
    expect([done.code, reason(box)]).toEqual([1, 'consecutive_failures'])
    expect(done.stderr).toMatch(/cannot start ".\/missing": ENOENT/)

    await using other = sandbox()
    configure(other, FW({ hats: { work: { backend: { command: './missing' } } } }))
    roleScript(other)
    expect((await run(other)).code).toBe(0)
    expect(outcome(other, 0)).toMatchObject({
      status: 'spawn_failed',
      reason: expect.stringContaining('ENOENT'),
    })
  })

  test('a program that may not be executed, or is none, is told apart from a missing one', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_consecutive_failures: 1 } }))
    box.write('agent.sh', '#!/bin/bash\n')
    expect((await run(box)).stderr).toMatch(/EACCES/)
    box.script('agent.sh', '#!/no/such/interpreter\n')
    expect((await run(box)).stderr).toMatch(/interpreter/)
  })

  test('an emit whose target is a folder fails and says so', async () => {
    await using box = sandbox()
    const done = await box.ralph(['emit', 'a.topic', 'x'], { env: { RALPH_EVENTS_FILE: box.dir } })
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(/^Error: /)
    expect(done.stderr).not.toMatch(/^\s+at /m)
  })
})

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { HAS_PROCESS_TABLE, isAlive } from '../../../core/agent/processes.ts'
import { collectSecrets } from '../../../core/secrets.ts'
import { record, runFixture, streamBackend, textBackend } from './rig.ts'

describe('an agent runs to its own end', () => {
  test('it is told that it started, what it said, and how it ended', async () => {
    await using rig = runFixture('says-and-exits.sh', { args: ['0', 'hello', 'hm'] })
    const end = await rig.ended
    expect(rig.notes.map((note) => note.type)).toEqual(['started', 'said', 'ended'])
    const { pid } = await rig.note('started')
    expect(pid).toBeGreaterThan(0)
    expect(end).toEqual({
      exitCode: 0,
      signal: null,
      spawnError: null,
      stoppedFor: null,
      failure: null,
      usage: null,
      costUsd: null,
      turns: null,
      finalMessage: 'hello',
      durationMs: expect.any(Number),
      tail: 'hm',
      strays: [],
    })
  })

  test.skipIf(!HAS_PROCESS_TABLE)('its ticket names exactly this process', async () => {
    await using rig = runFixture('forever.sh')
    const { pid, startTime, bootId } = await rig.note('started')
    expect(isAlive({ pid, startTime })).toBe(true)
    expect(bootId).not.toBe('')
  })

  test('an exit code is kept and judged by the session; the tail is stderr, else stdout', async () => {
    await using loud = runFixture('says-and-exits.sh', { args: ['7', 'out', 'boom'] })
    expect(await loud.ended).toMatchObject({
      exitCode: 7,
      signal: null,
      failure: { class: 'crash', message: 'exit code 7' },
      tail: 'boom',
    })
    await using quiet = runFixture('says-and-exits.sh', { args: ['7', 'out', ''] })
    expect((await quiet.ended).tail).toBe('out')
  })

  test('of a stream the tail is what was said in it, and what stands beside its records (case 135)', async () => {
    const said = record({ type: 'text', text: 'I give up' })
    const backend = streamBackend()
    const tailOf = async (script: string) => {
      await using rig = runFixture('', { command: 'bash', args: ['-c', script], backend })
      return (await rig.ended).tail
    }
    expect(await tailOf(`echo '${said}'; exit 3`)).toBe('I give up')
    expect(await tailOf(`echo '${said}'; echo boom >&2; exit 3`)).toBe('boom')
    expect(await tailOf(`echo '{"type":"new"}'; echo 'no licence'; exit 3`)).toBe('no licence')
  })

  test('it leads a group of its own and has no terminal', async () => {
    await using rig = runFixture('', { command: 'bash', args: ['-c', 'ps -o pgid=,tty= -p $$'] })
    const { pid } = await rig.note('started')
    const [pgid, tty] = (await rig.ended).finalMessage.trim().split(/\s+/)
    expect([pgid, tty]).toEqual([String(pid), '?'])
  })

  test('its environment is the given one, as the backend changes it; the marker stays', async () => {
    const backend = textBackend({
      invoke: ({ command = '' }) => ({
        argv: [command],
        prompt: 'arg',
        env: { set: { SET: 'by backend', RALPH_AGENT: 'other' }, unset: ['KEPT', 'RALPH_AGENT'] },
      }),
    })
    await using rig = runFixture('shows-environment.sh', { backend })
    expect((await rig.ended).finalMessage).toBe(`RALPH_AGENT=${rig.marker}\nSET=by backend`)
  })
})

describe('stdin', () => {
  test('has the prompt, whole, and then its end', async () => {
    await using rig = runFixture('reads-stdin.sh', { prompt: 'x'.repeat(2_000_000) })
    expect((await rig.ended).finalMessage).toBe('2000000')
  })

  test('of a program that does not read it holds nothing up', async () => {
    await using rig = runFixture('ignores-stdin.sh', { prompt: 'x'.repeat(2_000_000) })
    expect((await rig.ended).exitCode).toBe(0)
  })

  test('is empty where the prompt is an argument; a long one is named there and lies in a file meanwhile', async () => {
    const backend = textBackend({ prompt: 'arg' })
    await using rig = runFixture('shows-argument.sh', { backend, prompt: 'ä'.repeat(4000) })
    const [argument = '', ...rest] = (await rig.ended).finalMessage.split('\n')
    expect(rest).toEqual(['8000', '600', '0'])
    expect(existsSync(/\/\S+\.md/.exec(argument)?.[0] ?? '/')).toBe(false)
  })

  test('stays open for a conversation, until the session closes it', async () => {
    const backend = streamBackend({
      start: () => [{ write: 'one\n' }],
      line(_, text) {
        if (text === 'got one') return [{ write: 'two\n' }]
        return text === 'got two' ? [{ closeStdin: true }] : []
      },
    })
    await using rig = runFixture('answers.sh', { backend })
    expect((await rig.ended).finalMessage).toBe('got one\ngot two\nbye')
  })
})

describe('output', () => {
  test('of both streams is kept whole, and drained together', async () => {
    await using rig = runFixture('prints-both-streams.sh')
    const end = await rig.ended
    expect(rig.text('stdout')).toBe('o'.repeat(2_000_000))
    expect(rig.text('stderr')).toBe('e'.repeat(2_000_000))
    expect(end.finalMessage.length).toBe(2_000_000)
  })

  test('of one line of 3 MB is one line', async () => {
    await using rig = runFixture('prints-3mb.sh')
    await rig.ended
    expect(rig.notes.filter((note) => note.type === 'said').length).toBe(1)
  })

  test('that is a long answer arrives whole and word for word, though the log has no secrets', async () => {
    const line = 'the key is hush-hush-hush'
    const script = `yes '${line}' | head -n 20000; exit`
    const secrets = collectSecrets({ MY_API_KEY: 'hush-hush-hush' })
    const answers = (code: number) =>
      runFixture('', { command: '/bin/sh', args: ['-c', `${script} ${code}`], secrets })
    await using well = answers(0)
    expect((await well.ended).finalMessage).toBe(Array(20_000).fill(line).join('\n'))
    expect(well.text('stdout')).not.toContain('hush')
    // What a failed agent says is no result.
    await using badly = answers(1)
    expect((await badly.ended).finalMessage).toStartWith('the key is [redacted MY_API_KEY]\n')
    expect((await badly.ended).finalMessage).not.toContain('hush')
    expect(readdirSync(badly.box.path('logs'))).toEqual(['stdout.log'])
  })

  test('without newline at the end counts, however the program died', async () => {
    await using rig = runFixture('dies-mid-line.sh')
    const end = await rig.ended
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGKILL', finalMessage: 'whole\nhalf' })
    expect(end.failure).toEqual({ class: 'crash', message: 'SIGKILL' })
    expect(await rig.line('half')).toBe('')
  })

  test('is put together where a character was split, and repaired where it is no UTF-8', async () => {
    await using rig = runFixture('says-in-pieces.sh')
    await rig.ended
    const said = rig.notes.flatMap((note) =>
      note.type === 'said' && note.event.type === 'text' ? [note.event.text] : [],
    )
    expect(said).toEqual(['käse', 'a\ufffd\ufffdz'])
  })

  test('goes through real pipes: a program can open /dev/stderr', async () => {
    await using rig = runFixture('opens-dev-stderr.sh')
    await rig.ended
    expect([rig.text('stdout'), rig.text('stderr')]).toEqual(['y\n', 'x\ny\n'])
  })

  test('that is missing makes no files', async () => {
    await using rig = runFixture('ignores-stdin.sh')
    await rig.ended
    expect(existsSync(rig.box.path('logs'))).toBe(false)
  })

  test('that cannot be kept is told of once; the agent goes on', async () => {
    await using rig = runFixture('says-and-exits.sh', { args: ['0', 'hello', ''] })
    rig.box.write('logs', 'a file where a folder should be')
    const end = await rig.ended
    expect(end.exitCode).toBe(0)
    const errors = rig.notes.filter((note) => note.type === 'said' && note.event.type === 'error')
    expect(errors.length).toBe(2)
    expect(JSON.stringify(errors)).toContain('log ended: ')
  })

  test('that never ends fills no memory, and the agent can be stopped', async () => {
    await using rig = runFixture('prints-without-end.sh', {
      backend: streamBackend(),
      args: ['x'.repeat(1000)],
    })
    await rig.note('started')
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    await Bun.sleep(500)
    const grown = process.memoryUsage.rss() - before
    rig.handle.stop('worker-timeout')
    const end = await rig.ended
    expect(end.stoppedFor).toBe('worker-timeout')
    expect(Bun.file(rig.box.path('logs/stdout.log')).size).toBeGreaterThan(20_000_000)
    expect(grown).toBeLessThan(60_000_000)
  })

  test('closed early is not the end of an agent', async () => {
    await using rig = runFixture('closes-its-pipes-and-exits-later.sh')
    const end = await rig.ended
    expect(end.exitCode).toBe(4)
    expect(end.durationMs).toBeGreaterThan(150)
  })
})

describe('a stream', () => {
  test('gives usage, cost, turns and the final message as it last told them', async () => {
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, context: 9 }
    const args = [
      record({ type: 'cost', usd: 1 }, { type: 'final', text: 'early' }),
      record({ type: 'usage', usage }, { type: 'turns', turns: 3 }, { type: 'cost', usd: 0.5 }),
      record({ type: 'final', text: ' done \n' }, { type: 'terminal' }),
    ]
    await using rig = runFixture('says-lines.sh', { backend: streamBackend(), args })
    const end = await rig.ended
    expect(end).toMatchObject({ usage, costUsd: 0.5, turns: 3, finalMessage: 'done', failure: null })
  })

  test('without a terminal record is a failure, exit code 0 or not', async () => {
    await using rig = runFixture('says-lines.sh', { backend: streamBackend(), args: ['just text'] })
    const end = await rig.ended
    expect(end).toMatchObject({ exitCode: 0, failure: { class: 'unknown' }, finalMessage: 'just text' })
  })
})

describe('a backend that throws makes a failed agent', () => {
  test('before the start: nothing is started', async () => {
    const backend = textBackend({
      invoke() {
        throw new Error('boom')
      },
    })
    await using rig = runFixture('forever.sh', { backend })
    const end = await rig.ended
    expect(rig.notes.map((note) => note.type)).toEqual(['ended'])
    expect(end.failure).toEqual({ class: 'crash', message: 'backend "fake", invoke(): boom' })
    expect(end.spawnError).toBeNull()
  })

  test('in the middle: the process is ended, though nobody stopped it', async () => {
    const backend = streamBackend({
      line() {
        throw new Error('boom')
      },
    })
    await using rig = runFixture('forks-grandchild.sh', { backend })
    const end = await rig.ended
    expect(end).toMatchObject({ signal: 'SIGTERM', stoppedFor: null })
    expect(end.failure).toEqual({ class: 'crash', message: 'backend "fake", open().line: boom' })
  })
})

describe('a program that cannot be started is told of by its name', () => {
  const table: [string, string, RegExp][] = [
    ['not on PATH', 'no-such-program', /"no-such-program".*not found/],
    ['no such file', './missing', /"\.\/missing".*ENOENT/],
    ['not executable', './plain', /"\.\/plain".*EACCES/],
    ['a script whose interpreter is missing', './script', /ENOENT.*interpreter/],
  ]
  test.each(table)('%s', async (_, command, message) => {
    await using rig = runFixture('', {
      command,
      arrange(box) {
        box.write('plain', 'no program')
        box.script('script', '#!/no/such/interpreter\n')
      },
    })
    const end = await rig.ended
    expect(rig.notes.map((note) => note.type)).toEqual(['ended'])
    expect(end.spawnError).toMatch(message)
    expect(end).toMatchObject({ exitCode: null, signal: null, failure: { class: 'unknown' } })
  })

  test('a relative path is looked up in the workspace', async () => {
    await using rig = runFixture('', {
      command: './bin/it',
      arrange: (box) => box.script('bin/it', '#!/bin/sh\necho here\n'),
    })
    expect((await rig.ended).finalMessage).toBe('here')
  })

  test('a program in a relative folder of PATH is passed over: anybody may have put it into the workspace', async () => {
    for (const PATH of ['.:/usr/bin:/bin', ':/usr/bin:/bin', 'bin:/usr/bin:/bin']) {
      await using rig = runFixture('', {
        command: 'planted',
        env: { PATH },
        arrange(box) {
          box.script('planted', '#!/bin/sh\necho here\n')
          box.script('bin/planted', '#!/bin/sh\necho here\n')
        },
      })
      const end = await rig.ended
      expect([end.exitCode, end.spawnError]).toEqual([
        null,
        expect.stringContaining('absolute folder of PATH'),
      ])
    }
  })

  test('a program is found behind a relative folder of PATH', async () => {
    await using rig = runFixture('', { command: 'true', env: { PATH: '.:/usr/bin:/bin' } })
    expect((await rig.ended).exitCode).toBe(0)
  })

  test('a missing working directory is named instead of the program', async () => {
    await using rig = runFixture('forever.sh', { cwd: '/no/such/folder' })
    expect((await rig.ended).spawnError).toContain('the working directory /no/such/folder')
  })
})

test.skipIf(!HAS_PROCESS_TABLE)('200 agents, 32 at once, leave no descriptor behind', async () => {
  const before = readdirSync('/proc/self/fd').length
  let left = 200
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (left-- > 0) {
        await using rig = runFixture('', { command: 'true' })
        expect((await rig.ended).exitCode).toBe(0)
      }
    }),
  )
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 10)
})

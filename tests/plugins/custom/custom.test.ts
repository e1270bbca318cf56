import { describe, expect, test } from 'bun:test'
import custom from '../../../plugins/custom/index.ts'
import { ended, replay, TASK } from '../replay.ts'

const task = { ...TASK, prompt: 'go on', command: './agent', args: ['-x', '1'] }

describe('the command line', () => {
  test.each([
    [{}, ['./agent', '-x', '1', 'go on'], 'arg'],
    [{ promptFlag: '--ask' }, ['./agent', '-x', '1', '--ask', 'go on'], 'arg'],
    [{ promptMode: 'stdin' }, ['./agent', '-x', '1'], 'stdin'],
    [{ promptMode: 'stdin', promptFlag: '--ask' }, ['./agent', '-x', '1'], 'stdin'],
  ] as const)('with %j is %j, prompt by %s', (more, argv, prompt) => {
    expect(custom.invoke({ ...task, ...more })).toEqual({ argv: [...argv], prompt })
  })

  test('cannot be without a command', () => {
    const { command: _, ...rest } = task
    expect(() => custom.invoke(rest)).toThrow('no command is configured')
  })
})

describe('the session', () => {
  test('writes the prompt only where it goes to stdin', () => {
    expect(custom.open({ ...task, promptMode: 'stdin' }).start()).toEqual([
      { write: 'go on' },
      { closeStdin: true },
    ])
    expect(custom.open(task).start()).toEqual([])
  })

  test('names no answer of its own: the core takes all of stdout for it', () => {
    const run = replay(
      { ...custom, open: () => custom.open(task) },
      { out: '\none\n\n two \n\n', err: 'noise' },
      ended(0),
    )
    expect(run.final).toBe('')
    expect(run.verdict).toEqual({ ok: true })
  })

  test.each([
    [ended(7), { ok: false, class: 'crash', message: 'exit code 7' }],
    [ended('SIGSEGV'), { ok: false, class: 'crash', message: 'signal SIGSEGV' }],
    [ended('SIGTERM', { stoppedByUs: true }), { ok: true }],
  ] as const)('judges the end %j', (end, verdict) => {
    expect(custom.open(task).end(end).verdict).toEqual(verdict)
  })
})

test('it has no program of its own to be found', async () => {
  const look = {
    env: {},
    uid: 0,
    which: () => '/x',
    run: async () => ({ exitCode: 0, stdout: '', stderr: '' }),
  }
  const detection = await custom.detect(look)
  expect(detection.found).toBe(false)
  expect(detection.problems[0]?.hint).toContain('cli.command')
})

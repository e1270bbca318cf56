import { describe, expect, test } from 'bun:test'
import opencode from '../../../plugins/opencode/index.ts'
import { ended, replay, replayCapture, TASK } from '../replay.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n')
const begin = { type: 'step_start', part: {} }
const says = (text: string, messageID = 'm'): object => ({ type: 'text', part: { text, messageID } })
const finish = (reason: string, more: object = {}): object => ({
  type: 'step_finish',
  part: { reason, ...more },
})
const fails = (error: object): object => ({ type: 'error', error })

test('the command line streams, approves, and leaves the prompt to stdin', () => {
  const { argv, prompt, env } = opencode.invoke({ ...TASK, model: 'p/m', args: ['--agent', 'a'] })
  expect(argv).toEqual(['opencode', 'run', '--format', 'json', '--auto', '-m', 'p/m', '--agent', 'a'])
  expect(prompt).toBe('stdin')
  expect(env?.set).toEqual({ OPENCODE_DISABLE_AUTOUPDATE: '1' })
})

describe('the end', () => {
  test('is a step that does not go on with tools; another step takes it back', () => {
    expect(replay(opencode, { out: lines(begin, finish('tool-calls')) }, ended(0)).done).toBe(false)
    expect(replay(opencode, { out: lines(begin, finish('stop')) }, ended(0)).done).toBe(true)
    expect(replay(opencode, { out: lines(begin, finish('stop'), begin) }, ended(0)).done).toBe(false)
  })

  test.each([
    ['stop', 0, true, null],
    ['stop', 1, false, 'crash'],
    ['tool-calls', 0, false, 'unknown'],
    ['length', 0, false, 'unknown'],
    ['content-filter', 0, false, 'refusal'],
  ] as const)('by reason %s with exit code %d is a success: %p', (reason, exit, ok, name) => {
    const { verdict } = replay(opencode, { out: lines(begin, finish(reason)) }, ended(exit))
    expect(verdict.ok).toBe(ok)
    expect(verdict.ok ? null : verdict.class).toBe(name)
  })
})

describe('an error', () => {
  test.each([
    ['ProviderAuthError', {}, 'auth'],
    ['ContextOverflowError', {}, 'context_too_long'],
    ['ProviderModelNotFoundError', {}, 'model'],
    ['APIError', { statusCode: 529 }, 'overload'],
    ['APIError', { statusCode: 429, responseBody: '{"code":"insufficient_quota"}' }, 'quota'],
    ['UnknownError', { message: 'database is locked' }, 'locked'],
  ] as const)('%s with %j is of class %s', (name, data, reason) => {
    const { verdict } = replay(opencode, { out: lines(fails({ name, data })) }, ended(1))
    expect(verdict).toMatchObject({ ok: false, class: reason })
  })

  test('tells how long the provider wants to be left alone', () => {
    const { verdict } = replayCapture(opencode, 'err429', ended(1))
    expect(verdict).toMatchObject({ class: 'rate_limit', retryAfterMs: 1000 })
  })

  test('is forgotten when the next step begins', () => {
    const out = lines(begin, fails({ name: 'APIError', data: { statusCode: 500 } }), begin, finish('stop'))
    expect(replay(opencode, { out }, ended(0)).verdict).toEqual({ ok: true })
  })
})

test('tokens and cost are summed over the steps, thoughts and cache included', () => {
  const tokens = { input: 100, output: 20, reasoning: 5, cache: { read: 40, write: 10 } }
  const run = replay(
    opencode,
    { out: lines(finish('tool-calls', { tokens, cost: 0.5 }), finish('stop', { tokens, cost: 0.25 })) },
    ended(0),
  )
  expect(run.usage).toEqual({ input: 300, output: 50, cacheRead: 80, cacheWrite: 20, context: 150 })
  expect([run.usd, run.turns]).toEqual([0.75, 2])
})

test('the final message is all text of the last message', () => {
  const out = lines(says('a', '1'), finish('tool-calls'), says('b', '2'), says('c', '2'), finish('stop'))
  expect(replay(opencode, { out }, ended(0)).final).toBe('b\nc')
})

test('a command that fails is an error of its tool', () => {
  const { events } = replayCapture(opencode, 'failcmd', ended(0))
  expect(events.filter((event) => event.type === 'tool_end')).toEqual([
    { type: 'tool_end', id: 'call_1860_0', output: 'out\nerr\n', isError: true },
  ])
})

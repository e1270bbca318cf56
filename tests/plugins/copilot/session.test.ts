import { describe, expect, test } from 'bun:test'
import copilot from '../../../plugins/copilot/index.ts'
import { ended, replay, replayCapture, TASK } from '../replay.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n')
const record = (type: string, data: object): object => ({ type, data })
const says = (content: string, messageId = 'm'): object =>
  record('assistant.message', { content, messageId, toolRequests: [] })
const piece = (deltaContent: string, messageId = 'm'): object =>
  record('assistant.message_delta', { deltaContent, messageId })
const result = (exitCode: number): object => ({ type: 'result', exitCode, usage: {} })

test('the command line streams, allows all tools and paths, and leaves the prompt to stdin', () => {
  const { argv, prompt, env, killGraceMs } = copilot.invoke({ ...TASK, model: 'm', args: ['--agent', 'a'] })
  const fixed = ['--allow-all-tools', '--allow-all-paths', '--output-format', 'json']
  expect(argv).toEqual(['copilot', ...fixed, '--model', 'm', '--agent', 'a'])
  expect(env?.set).toEqual({ COPILOT_AUTO_UPDATE: 'false' })
  expect([prompt, killGraceMs]).toEqual(['stdin', 1000])
})

describe('text', () => {
  test('that came in pieces is not told again as a whole', () => {
    const { events, final } = replay(
      copilot,
      { out: lines(piece('All '), piece('good.'), says('All good.'), result(0)) },
      ended(0),
    )
    const told = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
    expect([told.join(''), final]).toEqual(['All good.', 'All good.'])
  })

  test('that came only as a whole is told', () => {
    const { events } = replay(copilot, { out: lines(piece('a', '1'), says('b', '2'), result(0)) }, ended(0))
    expect(events).toContainEqual({ type: 'text', text: 'b' })
  })

  test('of a message without words does not replace the final one', () => {
    expect(replay(copilot, { out: lines(says('words'), says(''), result(0)) }, ended(0)).final).toBe('words')
  })
})

describe('the verdict', () => {
  test.each([
    [0, 0, null],
    [0, 1, 'crash'],
    [1, 0, 'unknown'],
    [1, 1, 'unknown'],
  ] as const)('of a result with exit code %d, exit code %d, is of class %p', (told, exit, reason) => {
    const { verdict } = replay(copilot, { out: lines(says('x'), result(told)) }, ended(exit))
    expect(verdict.ok ? null : verdict.class).toBe(reason)
  })

  test.each([
    [{ errorType: 'authentication', message: 'no' }, 'auth'],
    [{ errorType: 'rate_limit', message: 'no' }, 'rate_limit'],
    [{ errorType: 'query', message: 'no', statusCode: 503 }, 'overload'],
    [{ errorType: 'quota', message: 'no' }, 'quota'],
    [{ errorType: 'query', message: 'no' }, 'unknown'],
  ] as const)('of an error %j is of class %s', (error, reason) => {
    const { verdict } = replay(copilot, { out: lines(record('session.error', error), result(1)) }, ended(1))
    expect(verdict).toMatchObject({ ok: false, class: reason })
  })

  test('forgets an error from which the model went on', () => {
    const out = lines(record('session.error', { message: 'no' }), says('better'), result(0))
    expect(replay(copilot, { out }, ended(0)).verdict).toEqual({ ok: true })
  })
})

test.each([
  ['err401', 'auth', 2],
  ['err429', 'rate_limit', 5],
  ['err500', 'overload', 5],
  ['err400', 'context_too_long', 1],
] as const)('captured run %s shows its retries, of class %s', (name, reason, times) => {
  const retries = replayCapture(copilot, name, ended(1)).events.filter((event) => event.type === 'retrying')
  expect(retries.map((event) => event.class)).toEqual(Array(times).fill(reason))
})

test('a command that fails is an error of its tool, whatever calls itself a success', () => {
  const { events } = replayCapture(copilot, 'failcmd', ended(0))
  expect(events.find((event) => event.type === 'tool_end')).toMatchObject({ isError: true })
})

test('a tool that is denied is told of', () => {
  const { events } = replayCapture(copilot, 'denied', ended(0))
  expect(events).toContainEqual({
    type: 'error',
    class: 'tool_permission',
    message: expect.stringContaining('Permission denied'),
  })
})

test('two tools at once are open at once', () => {
  const { events } = replayCapture(copilot, 'two', ended(0))
  const open = events.flatMap((event) => (event.type === 'open' ? [event.count] : []))
  expect(open).toEqual([1, 2, 1, 0])
})

import { describe, expect, test } from 'bun:test'
import gemini from '../../../plugins/gemini/index.ts'
import { ended, replay, TASK } from '../replay.ts'

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n')
const says = (content: string): object => ({ type: 'message', role: 'assistant', content, delta: true })
const calls = (tool_id: string): object => ({
  type: 'tool_use',
  tool_id,
  tool_name: 'run_shell_command',
  parameters: { command: 'ls' },
})
const answers = (tool_id: string, more: object = { status: 'success', output: 'out' }): object => ({
  type: 'tool_result',
  tool_id,
  ...more,
})
const success = (stats: object = {}): object => ({ type: 'result', status: 'success', stats })
const failure = (message: string): object => ({
  type: 'result',
  status: 'error',
  error: { type: 'unknown', message },
})

describe('the command line', () => {
  test('streams and leaves the prompt to stdin', () => {
    const { argv, prompt } = gemini.invoke({ ...TASK, model: 'flash', args: ['--debug'] })
    expect(argv).toEqual(['gemini', '--yolo', '--output-format', 'stream-json', '-m', 'flash', '--debug'])
    expect(prompt).toBe('stdin')
  })

  test('trusts the folder and runs without its launcher, unless the user says otherwise', () => {
    expect(gemini.invoke(TASK).env?.set).toEqual({
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    })
    const { env } = gemini.invoke({ ...TASK, env: { GEMINI_CLI_TRUST_WORKSPACE: 'false' } })
    expect(env?.set).toEqual({ GEMINI_CLI_NO_RELAUNCH: 'true' })
  })

  test('hides the signs by which its tools would lose our variables', () => {
    expect(gemini.invoke(TASK).env?.unset).toEqual(['GITHUB_SHA'])
    const inGithub = gemini.invoke({ ...TASK, env: { SURFACE: 'Github' } })
    expect(inGithub.env?.unset).toEqual(['GITHUB_SHA', 'SURFACE'])
  })
})

describe('the final message', () => {
  test('is what was said after the last tool answered', () => {
    const out = lines(says('I look.'), calls('1'), answers('1'), says('All '), says('good.'), success())
    expect(replay(gemini, { out }, ended(0)).final).toBe('All good.')
  })

  test('is what was said before, if nothing came after', () => {
    const out = lines(says('Before.'), calls('1'), answers('1'), success())
    expect(replay(gemini, { out }, ended(0)).final).toBe('Before.')
  })

  test('does not hold the echo of the prompt', () => {
    const out = lines({ type: 'message', role: 'user', content: 'PROMPT' }, says('answer'), success())
    expect(replay(gemini, { out }, ended(0)).final).toBe('answer')
  })
})

test('what is said before a failed attempt is forgotten: the next attempt says it again', () => {
  const session = gemini.open(TASK)
  session.line('out', lines(says('half an ans')))
  session.line('err', 'Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {}')
  session.line('out', lines(says('an answer')))
  session.line('out', lines(success()))
  const [last] = session.end(ended(0)).says
  expect(last).toEqual({ event: { type: 'final', text: 'an answer' } })
})

describe('tokens', () => {
  test('count thoughts, which only the total shows, as output', () => {
    const stats = { total_tokens: 360, input_tokens: 300, output_tokens: 50, cached: 80 }
    expect(replay(gemini, { out: lines(success(stats)) }, ended(0)).usage).toEqual({
      input: 300,
      output: 60,
      cacheRead: 80,
      cacheWrite: 0,
      context: 0,
    })
  })

  test('are taken as told where there is no total', () => {
    const stats = { input_tokens: 1_000_000, output_tokens: 100_000 }
    expect(replay(gemini, { out: lines(success(stats)) }, ended(0)).usage).toMatchObject({
      input: 1_000_000,
      output: 100_000,
    })
  })
})

describe('tools', () => {
  test('are open from their call to their answer', () => {
    const { events } = replay(
      gemini,
      { out: lines(calls('a'), calls('b'), answers('b'), answers('a')) },
      ended(0),
    )
    expect(events.flatMap((event) => (event.type === 'open' ? [event.count] : []))).toEqual([1, 2, 1, 0])
  })

  test('fail by their status, with the error as output if there is no other', () => {
    const failed = answers('a', { status: 'error', error: { message: 'no such tool' } })
    const { events } = replay(gemini, { out: lines(failed) }, ended(0))
    expect(events).toContainEqual({ type: 'tool_end', id: 'a', output: 'no such tool', isError: true })
  })
})

describe('a run that calls itself a success', () => {
  test('fails if it was stopped for going round in circles', () => {
    const warning = { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' }
    expect(replay(gemini, { out: lines(warning, success()) }, ended(0)).verdict).toEqual({
      ok: false,
      class: 'unknown',
      message: 'Loop detected, stopping execution',
    })
  })

  test('fails if its prompt was cut', () => {
    const err = 'Warning: stdin input truncated to 8388608 bytes.'
    expect(replay(gemini, { out: lines(success()), err }, ended(0)).verdict).toMatchObject({
      ok: false,
      class: 'context_too_long',
    })
  })

  test('fails by its exit code, unless we ended it', () => {
    const out = lines(success())
    expect(replay(gemini, { out }, ended(1)).verdict).toMatchObject({ ok: false, class: 'crash' })
    expect(replay(gemini, { out }, ended(1, { stoppedByUs: true })).verdict).toEqual({ ok: true })
  })
})

describe('an error result', () => {
  test.each([
    ['[API Error: {"error":{"code":429,"message":"slow down"}}]', 173, 'rate_limit'],
    ['[API Error: {"error":{"code":503,"message":"overloaded"}}]', 247, 'overload'],
    ['[API Error: {"error":{"code":400,"message":"API key not valid"}}]', 144, 'auth'],
    ['something went wrong', 173, 'rate_limit'],
    ['something went wrong', 152, 'network'],
    ['something went wrong', 244, 'overload'],
    ['something went wrong', 1, 'unknown'],
  ] as const)('%s with exit code %d is of class %s', (message, exit, reason) => {
    const { verdict } = replay(gemini, { out: lines(failure(message)) }, ended(exit))
    expect(verdict).toEqual({ ok: false, class: reason, message: expect.any(String) })
  })

  test.each([
    ['Please retry in 37.5s.', 37_500],
    ['Please retry in 9h1m2.0s.', 32_462_000],
    ['Please retry in 2m.', 120_000],
    ['Please retry in 800ms.', undefined],
    ['Please retry later.', undefined],
  ])('%s asks for a wait of %p ms', (message, wait) => {
    const { verdict } = replay(gemini, { out: lines(failure(message)) }, ended(173))
    expect(verdict.ok ? null : verdict.retryAfterMs).toBe(wait)
  })
})

test('a run that lost its result is no success', () => {
  const out = lines(says('done')).concat('\n{"type":"result","status":"succ')
  expect(replay(gemini, { out }, ended(0)).verdict).toMatchObject({ ok: false, class: 'unknown' })
})

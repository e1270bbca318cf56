import { describe, expect, test } from 'bun:test'
import qwen from '../../../plugins/qwen/index.ts'
import { ended, replay, replayCapture, TASK } from '../replay.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n')
const says = (text: string): object => ({
  type: 'assistant',
  message: { id: text, content: [{ type: 'text', text }] },
})
const result = (more: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  ...more,
})
const failure = (message: string): object =>
  result({ subtype: 'error_during_execution', is_error: true, error: { message } })

test('the command line streams and leaves the prompt to stdin', () => {
  const { argv, prompt, env, killGraceMs } = qwen.invoke({ ...TASK, model: 'm', args: ['--bare'] })
  expect(argv).toEqual(['qwen', '--yolo', '--output-format', 'stream-json', '-m', 'm', '--bare'])
  expect(env?.set).toEqual({ QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' })
  expect([prompt, killGraceMs]).toEqual(['stdin', 1000])
})

test('input tokens hold those of the cache already', () => {
  const usage = { input_tokens: 300, output_tokens: 50, cache_read_input_tokens: 80 }
  expect(replay(qwen, { out: lines(result({ usage })) }, ended(0)).usage).toEqual({
    input: 300,
    output: 50,
    cacheRead: 80,
    cacheWrite: 0,
    context: 0,
  })
})

describe('an error of the API', () => {
  test('is no message of the assistant', () => {
    const said = '[API Error: 429 slow down]'
    const { events, final, verdict } = replay(
      qwen,
      { out: lines(says('Before.'), says(said), failure(said)) },
      ended(1),
    )
    expect(final).toBe('Before.')
    expect(events).toContainEqual({ type: 'error', class: 'rate_limit', message: said })
    expect(verdict).toEqual({ ok: false, class: 'rate_limit', message: said })
  })

  test('that is only quoted is one', () => {
    const said = 'It prints [API Error: 429 slow down] and ends.'
    expect(replay(qwen, { out: lines(says(said), result()) }, ended(0)).final).toBe(said)
  })

  test('of an earlier result does not count after a good one', () => {
    expect(replay(qwen, { out: lines(failure('x'), result()) }, ended(0)).verdict).toEqual({ ok: true })
  })
})

test('captured run err429 shows on stderr that it waits for a minute', () => {
  const { events } = replayCapture(qwen, 'err429', ended('SIGTERM', { stoppedByUs: true }))
  expect(events.filter((event) => event.type === 'retrying')).toEqual([
    { type: 'retrying', class: 'rate_limit', attempt: 1, delayMs: 60_000 },
  ])
})

test('a turn limit has an exit code and no result', () => {
  const { verdict } = replayCapture(qwen, 'maxturns', ended(53))
  expect(verdict).toMatchObject({ ok: false, class: 'turn_limit' })
  expect(verdict.ok ? '' : verdict.message).toStartWith('exit code 53: Reached max session turns')
})

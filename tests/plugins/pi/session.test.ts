import { describe, expect, test } from 'bun:test'
import pi from '../../../plugins/pi/index.ts'
import { ended, replay, replayCapture, TASK } from '../replay.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n')
const message = (stopReason: string, more: object = {}): object => ({
  type: 'message_end',
  message: { role: 'assistant', content: [{ type: 'text', text: 'words' }], stopReason, ...more },
})
const end = (willRetry = false): object => ({ type: 'agent_end', messages: [], willRetry })

test('the command line streams, keeps no session, and leaves the prompt to stdin', () => {
  const { argv, prompt, killGraceMs } = pi.invoke({ ...TASK, model: 'p/m', args: ['--thinking', 'high'] })
  expect(argv).toEqual(['pi', '-p', '--mode', 'json', '--no-session', '--model', 'p/m', '--thinking', 'high'])
  expect([prompt, killGraceMs]).toEqual(['stdin', 1000])
})

describe('exit code 0 says nothing: the last message', () => {
  test.each([
    ['stop', {}, null],
    ['error', { errorMessage: '401: {"message":"no"}' }, 'auth'],
    ['error', { errorMessage: 'Connection error.' }, 'network'],
    ['length', {}, 'unknown'],
    ['aborted', {}, 'unknown'],
    ['toolUse', {}, 'unknown'],
  ] as const)('with stop reason %s and %j is of class %p', (reason, more, name) => {
    const { verdict } = replay(pi, { out: lines(message(reason, more), end()) }, ended(0))
    expect(verdict.ok ? null : verdict.class).toBe(name)
  })

  test('needs the end of the agent after it', () => {
    expect(replay(pi, { out: lines(message('stop')) }, ended(0)).verdict.ok).toBe(false)
  })

  test('counts, though we ended the program afterwards', () => {
    const stopped = ended('SIGTERM', { stoppedByUs: true })
    expect(replay(pi, { out: lines(message('stop'), end()) }, stopped).verdict).toEqual({ ok: true })
  })
})

describe('the end', () => {
  test('is none while another try is announced', () => {
    expect(replay(pi, { out: lines(message('error'), end(true)) }, ended(0)).done).toBe(false)
  })

  test('stays the end when what belongs to it follows, and is taken back by another turn', () => {
    const settled = { type: 'agent_settled' }
    expect(replay(pi, { out: lines(end(), { type: 'auto_retry_end' }, settled) }, ended(0)).done).toBe(true)
    expect(replay(pi, { out: lines(end(), { type: 'turn_start' }) }, ended(0)).done).toBe(false)
  })
})

test.each([
  ['err429', 'rate_limit'],
  ['err500', 'overload'],
  ['cut', 'network'],
] as const)('captured run %s shows its retries, of class %s', (name, reason) => {
  const retries = replayCapture(pi, name, ended(0)).events.filter((event) => event.type === 'retrying')
  expect(retries).toEqual(
    [2000, 4000, 8000].map((delayMs, i) => ({ type: 'retrying', class: reason, attempt: i + 1, delayMs })),
  )
})

test('tokens, cost and turns are summed over the messages of the assistant', () => {
  const usage = { input: 100, output: 20, cacheRead: 40, cacheWrite: 10, cost: { total: 0.5 } }
  const prompt = { type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: 'P' }] } }
  const run = replay(
    pi,
    { out: lines(prompt, message('toolUse', { usage }), message('stop', { usage }), end()) },
    ended(0),
  )
  expect(run.usage).toEqual({ input: 300, output: 40, cacheRead: 80, cacheWrite: 20, context: 150 })
  expect([run.usd, run.turns, run.final]).toEqual([1, 2, 'words'])
})

test('a tool is open while it runs, and its failure shows', () => {
  const { events } = replayCapture(pi, 'failcmd', ended(0))
  const told = events.filter(({ type }) => type === 'tool_start' || type === 'tool_end' || type === 'open')
  expect(told).toEqual([
    { type: 'tool_start', id: 'call_1942_0', name: 'bash', input: expect.stringContaining('exit 3') },
    { type: 'open', count: 1 },
    {
      type: 'tool_end',
      id: 'call_1942_0',
      output: expect.stringContaining('exited with code 3'),
      isError: true,
    },
    { type: 'open', count: 0 },
  ])
})

import { describe, expect, test } from 'bun:test'
import codex from '../../../plugins/codex/index.ts'
import { ended, replay, replayCapture, TASK } from '../replay.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n')
const item = (type: string, more: object, id = 'i1'): object => ({ id, type, ...more })
const started = (of: object): object => ({ type: 'item.started', item: of })
const completed = (of: object): object => ({ type: 'item.completed', item: of })
const done = { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 2 } }
const command = { command: 'ls', aggregated_output: 'out' }

describe('the command line', () => {
  test('streams, keeps PATH, and reads the prompt from stdin', () => {
    const { argv, prompt } = codex.invoke({ ...TASK, model: 'm', args: ['-c', 'a=1'] })
    const fixed = ['--json', '--dangerously-bypass-approvals-and-sandbox', '-c', 'allow_login_shell=false']
    expect(argv).toEqual(['codex', 'exec', ...fixed, '-m', 'm', '-c', 'a=1', '-'])
    expect(prompt).toBe('stdin')
  })

  test.each(['--yolo', '--full-auto', '--dangerously-bypass-approvals-and-sandbox'])(
    'has one flag for full access where %s is given too',
    (flag) => {
      const { argv } = codex.invoke({ ...TASK, args: [flag, '--x'] })
      expect(argv.filter((word) => /yolo|full-auto|dangerously/.test(word))).toEqual([
        '--dangerously-bypass-approvals-and-sandbox',
      ])
      expect(argv).toContain('--x')
    },
  )
})

describe('tools', () => {
  test('are open from their first record to their last, which has their output', () => {
    const out = lines(
      started(item('command_execution', { command: 'ls', exit_code: null, status: 'in_progress' })),
      completed(item('command_execution', { ...command, exit_code: 0, status: 'completed' })),
      done,
    )
    expect(replay(codex, { out }, ended(0)).events.slice(0, 4)).toEqual([
      { type: 'tool_start', id: 'i1', name: 'shell', input: '{"command":"ls"}' },
      { type: 'open', count: 1 },
      { type: 'tool_end', id: 'i1', output: 'out', isError: false },
      { type: 'open', count: 0 },
    ])
  })

  test.each([
    [
      'a command that fails',
      item('command_execution', { ...command, exit_code: 3, status: 'failed' }),
      'shell',
    ],
    ['a patch that does not fit', item('file_change', { changes: [], status: 'failed' }), 'file_change'],
    ['a server that fails', item('mcp_tool_call', { server: 's', tool: 't', status: 'failed' }), 's.t'],
  ])('%s is an error, also if nothing was told of its start', (_, of, name) => {
    const { events, tools } = replay(codex, { out: lines(completed(of), done) }, ended(0))
    expect(tools).toEqual([name])
    expect(events.find((event) => event.type === 'tool_end')).toMatchObject({ isError: true })
  })
})

test('the final message is the last one; thoughts are none', () => {
  const out = lines(
    completed(item('agent_message', { text: 'first' })),
    completed(item('agent_message', { text: 'last\n' })),
    completed(item('reasoning', { text: 'hm' })),
    done,
  )
  const { final, events } = replay(codex, { out }, ended(0))
  expect(final).toBe('last')
  expect(events).toContainEqual({ type: 'thinking', text: 'hm' })
})

test('a warning is told and fails nothing', () => {
  const run = replayCapture(codex, 'hello', ended(0))
  expect(run.events).toContainEqual(
    expect.objectContaining({ type: 'error', message: expect.stringContaining('not found') }),
  )
  expect(run.verdict).toEqual({ ok: true })
})

test.each([
  ['err401', 'auth'],
  ['err429', 'rate_limit'],
  ['err500', 'overload'],
  ['cut', 'network'],
] as const)('captured run %s shows its five retries, of class %s', (name, reason) => {
  const retries = replayCapture(codex, name, ended(1)).events.filter((event) => event.type === 'retrying')
  expect(retries).toEqual([1, 2, 3, 4, 5].map((attempt) => ({ type: 'retrying', class: reason, attempt })))
})

test('a turn that is completed counts, though we ended the program afterwards', () => {
  const stopped = ended('SIGTERM', { stoppedByUs: true })
  expect(replay(codex, { out: lines(done) }, stopped).verdict).toEqual({ ok: true })
  expect(replay(codex, { out: lines(done, { type: 'turn.started' }) }, stopped).verdict.ok).toBe(false)
})

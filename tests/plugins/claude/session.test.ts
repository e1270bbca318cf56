import { describe, expect, test } from 'bun:test'
import type { AgentEvent } from '../../../core/backend/contract.ts'
import claude from '../../../plugins/claude/index.ts'
import { ended, replay, replayCapture, TASK } from '../replay.ts'

const lines = (...records: readonly unknown[]): { readonly out: string } => ({
  out: records.map((record) => JSON.stringify(record)).join('\n'),
})
const says = (text: string, id = 'm1', more: object = {}): object => ({
  type: 'assistant',
  message: { id, content: [{ type: 'text', text }], ...more },
  parent_tool_use_id: null,
})
const calls = (id: string): object => ({
  type: 'assistant',
  message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }] },
})
const answers = (id: string, content: unknown = 'out', isError = false): object => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
})
const result = (more: object = {}): object => ({ type: 'result', is_error: false, ...more })
const typesOf = (events: readonly AgentEvent[]): readonly string[] => events.map((event) => event.type)

describe('the prompt', () => {
  test('is written to stdin whole, and stdin is closed', () => {
    expect(claude.open({ ...TASK, prompt: 'do it\n' }).start()).toEqual([
      { write: 'do it\n' },
      { closeStdin: true },
    ])
  })
})

describe('several results', () => {
  const run = replay(
    claude,
    lines(
      result({ total_cost_usd: 0.2, usage: { input_tokens: 10, output_tokens: 1 }, result: 'first' }),
      result({ total_cost_usd: 0.5, usage: { input_tokens: 20, output_tokens: 2 }, result: 'second' }),
    ),
    ended(0),
  )

  test('the last one counts for the cost and for the final message', () => {
    expect([run.usd, run.final]).toEqual([0.5, 'second'])
  })

  test('their tokens are summed', () => {
    expect(run.usage).toMatchObject({ input: 30, output: 3 })
  })

  test('an error in the last one makes the run a failure', () => {
    const { verdict } = replay(claude, lines(result(), result({ is_error: true, result: 'no' })), ended(1))
    expect(verdict).toEqual({ ok: false, class: 'unknown', message: 'no' })
  })
})

describe('a result', () => {
  test('counts without turns, tokens and is_error', () => {
    const run = replay(claude, { out: '{"total_cost_usd":0.2,"type":"result"}' }, ended(0))
    expect([run.verdict.ok, run.usd]).toEqual([true, 0.2])
  })

  test('without usage leaves the tokens of the messages standing', () => {
    const spoke = says('hi', 'm1', {
      usage: { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 },
    })
    expect(replay(claude, lines(spoke, result()), ended(0)).usage).toMatchObject({
      input: 12,
      output: 1,
      cacheRead: 7,
    })
  })

  test('is terminal, and any later record takes that back', () => {
    expect(typesOf(replay(claude, lines(result()), ended(0)).events).at(-2)).toBe('terminal')
    const later = replay(
      claude,
      lines(result({ result: 'x' }), { type: 'system', subtype: 'init' }),
      ended(0),
    )
    expect(typesOf(later.events).at(-1)).toBe('open')
  })

  test('that is fine does not outweigh an exit code', () => {
    expect(replay(claude, lines(result()), ended(3)).verdict).toMatchObject({ ok: false, class: 'crash' })
  })

  test('that is fine is the last word if we ended the process', () => {
    expect(replay(claude, lines(result()), ended('SIGTERM', { stoppedByUs: true })).verdict).toEqual({
      ok: true,
    })
    expect(replay(claude, lines(result()), ended(143, { stoppedByUs: true })).verdict).toEqual({ ok: true })
  })

  test('with an error subtype alone is an error', () => {
    const { verdict } = replay(claude, lines({ type: 'result', subtype: 'error_max_turns' }), ended(0))
    expect(verdict).toMatchObject({ ok: false, class: 'turn_limit' })
  })

  test('by a refusal of the model is told apart', () => {
    const refused = result({ is_error: true, stop_reason: 'refusal', result: 'I cannot' })
    expect(replay(claude, lines(refused), ended(1)).verdict).toMatchObject({ class: 'refusal' })
  })
})

describe('tools', () => {
  test('are open from their call to their answer', () => {
    const { events } = replay(claude, lines(calls('a'), calls('b'), answers('a'), answers('b')), ended(0))
    const open = events.flatMap((event) => (event.type === 'open' ? [event.count] : []))
    expect(open).toEqual([1, 2, 1, 0])
  })

  test('that are open at a result stay open until their answer', () => {
    const { events } = replay(claude, lines(calls('a'), result(), answers('a'), result()), ended(0))
    const open = events.flatMap((event) => (event.type === 'open' ? [event.count] : []))
    expect(open).toEqual([1, 0])
  })

  test('answer with text or with blocks of text', () => {
    const blocks = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }]
    const { events } = replay(claude, lines(answers('1'), answers('2', blocks, true)), ended(0))
    expect(events.filter((event) => event.type === 'tool_end')).toEqual([
      { type: 'tool_end', id: '1', output: 'out', isError: false },
      { type: 'tool_end', id: '2', output: 'a\nb', isError: true },
    ])
  })

  test('that were denied are a warning, not a failure', () => {
    const run = replayCapture(claude, 'dontask', ended(0))
    expect(run.verdict.ok).toBe(true)
    expect(run.events).toContainEqual({
      type: 'error',
      class: 'tool_permission',
      message: '1 tool call was denied: Bash',
    })
  })
})

test('a background task stays open over the first result and closes before the second', () => {
  const { events } = replayCapture(claude, 'bglong', ended(0))
  const marks = events.flatMap((event): readonly (number | string)[] => {
    if (event.type === 'open') return [event.count]
    return event.type === 'terminal' ? ['result'] : []
  })
  // Tool called, task started beside it, tool answered; the task runs on.
  expect(marks.slice(0, 4)).toEqual([1, 2, 1, 'result'])
  expect(marks.slice(-2)).toEqual([0, 'result'])
})

test('retries of its own are told with class, number and wait', () => {
  const { events } = replayCapture(claude, 'err429once', ended(0))
  expect(events.filter((event) => event.type === 'retrying')).toEqual([
    { type: 'retrying', class: 'rate_limit', attempt: 1, delayMs: expect.any(Number) },
  ])
  const refused = replayCapture(claude, 'connrefused', ended(1)).events
  expect(refused.filter((event) => event.type === 'retrying').map((event) => event.class)).toEqual(
    Array.from({ length: 10 }, () => 'network'),
  )
})

describe('usage', () => {
  const usage = (input: number, cached: number): object => ({
    usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: 1 },
  })

  test('of records that share a message counts once', () => {
    const run = replay(
      claude,
      lines(says('a', 'm1', usage(10, 0)), says('b', 'm1', usage(10, 0)), says('c', 'm2', usage(20, 5))),
      ended(0),
    )
    expect(run.usage).toMatchObject({ input: 35, output: 2 })
  })

  test('of the fullest message is the context', () => {
    const run = replay(
      claude,
      lines(says('a', 'm1', usage(10, 90)), says('b', 'm2', usage(20, 5)), result()),
      ended(0),
    )
    expect(run.usage?.context).toBe(100)
  })
})

describe('the final message', () => {
  test('is the last assistant message where the result holds none', () => {
    expect(replay(claude, lines(says('one', 'm1'), says('two', 'm2'), result()), ended(0)).final).toBe('two')
  })

  test('holds all texts of that message', () => {
    expect(replay(claude, lines(says('one', 'm1'), says('two', 'm1'), result()), ended(0)).final).toBe(
      'one\ntwo',
    )
  })

  test("is never a sub-agent's", () => {
    const sub = { ...says('inner', 'm9'), parent_tool_use_id: 'toolu_1' }
    expect(replay(claude, lines(says('outer'), sub, result()), ended(0)).final).toBe('outer')
  })

  test('is never the text of an API error', () => {
    const run = replayCapture(claude, 'err500', ended(1))
    expect(run.final).toBe('')
    expect(typesOf(run.events)).toContain('error')
  })

  test('is stdout as a whole where no assistant spoke', () => {
    const out = 'a plain word\n{"type":"result"}'
    expect(replay(claude, { out }, ended(0)).final).toBe(out)
  })
})

describe('without a result', () => {
  test.each([
    [ended(0), 'unknown'],
    [ended(2), 'crash'],
    [ended('SIGSEGV'), 'crash'],
    [ended('SIGTERM', { stoppedByUs: true }), 'unknown'],
  ] as const)('the end %j is a failure of class %s', (end, reason) => {
    expect(replay(claude, lines(says('hi')), end).verdict).toMatchObject({ ok: false, class: reason })
  })
})

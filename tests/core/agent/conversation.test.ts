import { describe, expect, test } from 'bun:test'
import { createConversation } from '../../../core/agent/conversation.ts'
import type { Failure } from '../../../core/agent/guard.ts'
import type { AgentTask, Backend, Say, Session } from '../../../core/backend/contract.ts'
import { record, streamBackend, textBackend } from './rig.ts'

/** A conversation whose effects are written down as words. */
function converse(session: Partial<Session> = {}, backend: Backend = streamBackend(session)) {
  const heard: string[] = []
  const failures: Failure[] = []
  const conversation = createConversation(backend, backend.open({} as AgentTask), {
    event: (event) => heard.push(event.type),
    write: (text) => heard.push(`write ${text}`),
    closeStdin: () => heard.push('close'),
    terminal: () => heard.push('done'),
    resumed: () => heard.push('resumed'),
    open: (count) => heard.push(`open ${count}`),
    broken: (failure) => failures.push(failure),
  })
  return { conversation, heard, failures }
}

const ENDED = { exitCode: 0, signal: null, stoppedByUs: false, stdoutTail: '', stderrTail: '' }
const USAGE = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, context: 5 }

test('what a session says is passed on in order', () => {
  const { conversation, heard } = converse()
  conversation.say([{ write: 'a' }, { event: { type: 'text', text: 't' } }, { closeStdin: true }])
  expect(heard).toEqual(['write a', 'text', 'close'])
})

test('of totals the last one counts', () => {
  const { conversation } = converse()
  for (const usd of [1, 2]) {
    conversation.line(
      'out',
      record({ type: 'cost', usd }, { type: 'usage', usage: { ...USAGE, input: usd } }),
    )
    conversation.line(
      'out',
      record(
        { type: 'final', text: `f${usd}` },
        { type: 'turns', turns: usd },
        { type: 'session', id: `s${usd}` },
      ),
    )
  }
  expect(conversation.known).toEqual({
    usage: { ...USAGE, input: 2 },
    costUsd: 2,
    turns: 2,
    final: 'f2',
    session: 's2',
    said: '',
  })
})

describe('a terminal record stands until a later record takes it back', () => {
  const table: [string, string, string[]][] = [
    ['a record that says something', record({ type: 'text', text: 'x' }), ['text', 'resumed']],
    ['a record that is not known', '{"type":"new"}', ['resumed']],
    ['a record that only counts open tools', record({ type: 'open', count: 2 }), ['open 2', 'open']],
    ['a line that is no record', 'warning: x', []],
    ['another terminal record', record({ type: 'terminal' }), ['terminal', 'done']],
    [
      'a terminal record that also says what was spent',
      record({ type: 'terminal' }, { type: 'cost', usd: 1 }),
      ['terminal', 'cost', 'done'],
    ],
  ]
  test.each(table)('%s', (_, line, expected) => {
    const { conversation, heard } = converse()
    conversation.line('out', line)
    expect(heard).toEqual(expected)
  })

  test('what stands on stderr, or in text output, says nothing of it', () => {
    const stream = converse()
    stream.conversation.line('err', '{"type":"new"}')
    const text = converse({}, textBackend())
    text.conversation.line('out', '{"type":"new"}')
    expect([...stream.heard, ...text.heard]).toEqual(['text'])
  })
})

describe('a session that throws is blamed by name and not called again', () => {
  test('line', () => {
    const { conversation, failures } = converse({
      line: () => {
        throw new Error('boom')
      },
    })
    conversation.line('out', 'a')
    conversation.line('out', 'b')
    expect(failures).toEqual([{ class: 'crash', message: 'backend "fake", open().line: boom' }])
    expect(conversation.end(ENDED)).toEqual(failures[0] as Failure)
  })

  test('end', () => {
    const { conversation } = converse({
      end: () => {
        throw new Error('boom')
      },
    })
    expect(conversation.end(ENDED)?.message).toBe('backend "fake", open().end: boom')
  })

  test('an answer that is no list of says is its fault, too', () => {
    const answers = [undefined, [null], ['text'], [{}]] as unknown as Say[][]
    for (const answer of answers) {
      const { conversation, failures } = converse({ line: () => answer })
      conversation.line('out', 'a')
      expect(failures[0]?.message).toStartWith('backend "fake", open().line: ')
    }
  })
})

test('the verdict is the failure, or null; the wish to wait is kept', () => {
  const failed = converse({
    end: () => ({
      says: [{ event: { type: 'cost', usd: 3 } }],
      verdict: { ok: false, class: 'rate_limit', message: 'slow down', retryAfterMs: 5 },
    }),
  })
  expect(failed.conversation.end(ENDED)).toEqual({
    class: 'rate_limit',
    message: 'slow down',
    retryAfterMs: 5,
  })
  expect(failed.conversation.known.costUsd).toBe(3)
  expect(converse({}, textBackend()).conversation.end(ENDED)).toBeNull()
})

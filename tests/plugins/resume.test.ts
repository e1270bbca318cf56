import { describe, expect, test } from 'bun:test'
import type { AgentEvent, AgentTask, Backend } from '../../core/backend/contract.ts'
import claude from '../../plugins/claude/index.ts'
import codex from '../../plugins/codex/index.ts'
import gemini from '../../plugins/gemini/index.ts'
import opencode from '../../plugins/opencode/index.ts'
import { ended, replayCapture, TASK } from './replay.ts'

const USAGE = { input: 100, output: 20, cacheRead: 30, cacheWrite: 0, context: 0 }
const AGAIN: AgentTask = {
  ...TASK,
  args: ['--more'],
  resume: { session: 's-1', usage: USAGE, costUsd: 0.5 },
}

describe('a conversation that has ended is gone on with', () => {
  test.each([
    [claude, ['--resume', 's-1', '--more']],
    [gemini, ['--resume', 's-1', '--more']],
    [codex, ['--more', 'resume', 's-1', '-']],
    [opencode, ['--session', 's-1', '--more']],
  ] as const)('by the flag of $name, and the further prompt goes to stdin as ever', (backend, words) => {
    const { argv, prompt } = backend.invoke(AGAIN)
    expect(argv.slice(-words.length)).toEqual([...words])
    expect(prompt).toBe('stdin')
  })

  test.each([claude, gemini, codex, opencode])('of which $name told the name', (backend) => {
    const sessions = replayCapture(backend, 'hello', ended(0)).events.filter(({ type }) => type === 'session')
    expect(sessions.length).toBeGreaterThan(0)
    expect(sessions[0]).toEqual({ type: 'session', id: expect.stringMatching(/^[\w-]{20,}$/) })
  })

  test('and what it had cost before does not count again', () => {
    expect(
      told(claude, { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.75 }),
    ).toContainEqual({ type: 'cost', usd: 0.25 })
  })

  test('and the tokens that it had used before do not count again', () => {
    const usage = { input_tokens: 150, cached_input_tokens: 40, output_tokens: 25 }
    expect(told(codex, { type: 'turn.completed', usage })).toContainEqual({
      type: 'usage',
      usage: { input: 50, output: 5, cacheRead: 10, cacheWrite: 0, context: 0 },
    })
  })
})

/** What a session that goes on with a conversation makes of one record. */
function told(backend: Backend, record: object): readonly AgentEvent[] {
  const says = backend.open(AGAIN).line('out', JSON.stringify(record))
  return says.flatMap((say) => ('event' in say ? [say.event] : []))
}

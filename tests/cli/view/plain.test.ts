import { describe, expect, test } from 'bun:test'
import { createPalette } from '../../../cli/view/colour.ts'
import { plainView } from '../../../cli/view/plain.ts'
import type { RunEvent } from '../../../core/run-event.ts'
import {
  iterationEnd,
  iterationStart,
  loopStarted,
  loopTerminated,
  waveCompleted,
  waveStarted,
  workerDone,
  workerStarted,
} from './run-events.ts'

function account(events: readonly RunEvent[], quiet = false): string {
  let text = ''
  const view = plainView({
    write: (part) => {
      text += part
    },
    paint: createPalette(false),
    columns: 60,
    quiet,
    intro: ['program  custom: all it may', 'budgets  no cost limit'],
    now: () => 1_000_000,
  })
  for (const event of events) view(event)
  return text
}

const error = (more: Partial<Extract<RunEvent, { type: 'error' }>>): RunEvent => ({
  type: 'error',
  iteration: 1,
  code: 'x',
  message: 'something is off',
  recoverable: true,
  ...more,
})

describe('the account of a run on stderr', () => {
  test('tells a run with a wave from its first to its last line', () => {
    const text = account([
      loopStarted,
      iterationStart({}),
      { type: 'text_delta', iteration: 1, delta: 'I look at the ' },
      { type: 'text_delta', iteration: 1, delta: 'modules.' },
      {
        type: 'tool_call_start',
        iteration: 1,
        tool_name: 'Bash',
        tool_call_id: 't1',
        input: '{"command":"ls\\nsrc","n":1}',
      },
      {
        type: 'tool_call_end',
        iteration: 1,
        tool_call_id: 't1',
        output: 'no such file\nmore',
        is_error: true,
        duration_ms: 5,
      },
      iterationEnd({ cost_usd: 0.5, input_tokens: 1200, output_tokens: 300, cost_source: 'reported' }),
      waveStarted(),
      workerStarted(0),
      { type: 'wave_worker_text_delta', worker_index: 0, delta: 'hidden', wave_id: 'w-1' },
      workerDone(),
      workerDone({ index: 2, status: 'partial', duration_ms: 1200 }),
      workerDone({
        index: 1,
        success: false,
        status: 'failed',
        reason: 'exit code 7: boom',
        log: '.ralph/runs/r/waves/w-1/1/stderr.log',
      }),
      waveCompleted(),
      { type: 'orchestration_event', topic: 'item.done', payload: 'all\ngood', target: 'agg' },
      loopTerminated(),
    ])
    expect(text).toBe(`program  custom: all it may
budgets  no cost limit

── Iteration 1/100 | Dispatcher | custom ───────────────────
I look at the modules.
  ▸ Bash  ls src
    ✗ Bash: no such file more
  done in 12s | $0.50 | 1.2k tokens in, 300 out
── WAVE: Reviewer | 3 workers | timeout 600s ───────────────
  ✓ Worker 1/3 done (12s) — storage module
  ✓ Worker 3/3 done (1.2s) [partial] — storage module
  ✗ Worker 2/3 failed (12s) [failed] — storage module — .ralph/runs/r/waves/w-1/1/stderr.log
── Wave complete: 2 succeeded, 1 failed (14s) ──────────────
  • item.done → agg — all good

── Run ended: completed | exit 0 | 2 iterations | 1m 12s | cost $0.34 ──
`)
  })

  test('quiet leaves failures, warnings and the closing line', () => {
    const text = account(
      [
        loopStarted,
        iterationStart({}),
        { type: 'text_delta', iteration: 1, delta: 'hello' },
        error({}),
        iterationEnd({ success: false, reason: 'exit code 1: boom\nlast words' }),
        waveStarted(),
        workerDone(),
        waveCompleted(),
        loopTerminated({ reason: 'consecutive_failures', exit_code: 1, total_cost_usd: null }),
      ],
      true,
    )
    expect(text).toBe(`warning: something is off
error: iteration 1 failed (12s): exit code 1: boom
  last words
── Run ended: consecutive_failures | exit 1 | 2 iterations | 1m 12s | cost unknown ──
`)
  })

  test('a total that lacks what some agents cost says so', () => {
    expect(account([loopTerminated({ agents_without_cost: 2 })])).toContain('| cost over $0.34 ──')
  })

  test('several active hats stand in the banner', () => {
    expect(account([iterationStart({ hats: ['disp', 'agg'] })])).toContain('| Dispatcher + agg |')
  })

  test('a retry of a worker names when, why and which attempt', () => {
    const text = account([
      waveStarted(),
      error({
        wave_id: 'w-1',
        wave_index: 1,
        class: 'overload',
        retry_at: 1_010_000,
        attempt: 2,
        max_attempts: 3,
        payload_preview: 'b.ts',
      }),
    ])
    expect(text).toContain('  ↻ Worker 2/3 again in 10s [overload] attempt 2/3 — b.ts\n')
  })

  test('a wait for the provider names the time of the next try', () => {
    const text = account([error({ message: 'rate limit', retry_at: 1_030_000 })])
    expect(text).toMatch(/^warning: rate limit; next try at \d\d:\d\d:\d\d\n$/)
  })

  test('an error that cannot be recovered from is no warning', () => {
    expect(account([error({ recoverable: false })])).toBe('error: something is off\n')
  })

  test('items that never started are counted, and the settings that help are named', () => {
    const text = account([waveCompleted({ never_started: 2 })])
    expect(text).toContain('2 items never started: raise aggregate.timeout, or concurrency')
  })

  test('what a wave did to the workspace is told', () => {
    const workspace_changed = { head: true, stash: false, files: 2, paths: ['a', 'b'] }
    expect(account([waveCompleted({ workspace_changed })])).toContain(
      'the workspace during the wave: HEAD moved, 2 files changed (a, b)',
    )
  })

  test('scatter-gather names all hats', () => {
    expect(account([waveStarted({ hat_name: 'Security, Style' })])).toContain(
      '── WAVE: Security, Style | 3 workers',
    )
  })

  test('control sequences of agents, payloads and hats do not come out', () => {
    const evil = '\x1b]0;x\x07\x1b[2Jok'
    const text = account([
      { type: 'text_delta', iteration: 1, delta: evil },
      { type: 'tool_call_start', iteration: 1, tool_name: evil, tool_call_id: 't', input: evil },
      { type: 'orchestration_event', topic: evil, payload: evil, target: evil },
      waveStarted({ hat_name: evil }),
      workerDone({ payload_preview: evil, success: false, status: 'failed', log: evil }),
      iterationEnd({ success: false, reason: evil }),
      error({ message: evil }),
    ])
    expect(text).toContain('ok')
    expect(text).not.toMatch(/[\x1b\x07]/)
  })
})

describe('the closing line of a run with an open wave', () => {
  test('counts the settled results and names both commands', () => {
    const open_waves = [{ wave_id: 'w-1', settled: 1, total: 4 }]
    const text = account([loopTerminated({ reason: 'interrupted', exit_code: 130, open_waves })])
    const closing = text.trimEnd().split('\n').at(-1) ?? ''
    expect(closing).toContain('interrupted | exit 130')
    expect(closing).toContain('1 of 4 results settled')
    expect(closing).toContain('`ralph wave results w-1`')
    expect(closing).toContain('`ralph run --continue`')
  })

  test('a limit says how to go on, a completed run does not', () => {
    expect(account([loopTerminated({ reason: 'max_iterations', exit_code: 2 })])).toContain(
      'ralph run --continue',
    )
    expect(account([loopTerminated()])).not.toContain('--continue')
  })
})

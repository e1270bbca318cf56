import { describe, expect, test } from 'bun:test'
import { createPalette } from '../../../cli/view/colour.ts'
import { plainView } from '../../../cli/view/plain.ts'
import { waveRunView } from '../../../cli/view/wave-run.ts'
import { inline, type ReadBlob } from '../../../core/blob.ts'
import type { ItemSettled } from '../../../core/run-event.ts'
import { loopTerminated, waveStarted, workerDone } from './run-events.ts'

const readBlob: ReadBlob = (blob) => ('inline' in blob ? blob.inline : `the text of ${blob.path}`)

function item(index: number, result: string | null, more: Partial<ItemSettled['done']> = {}): ItemSettled {
  const failed = result === null
  return {
    index,
    payload: inline(`p${index}`),
    result: failed ? null : inline(result),
    done: workerDone({ index, success: !failed, status: failed ? 'failed' : 'ok', ...more }),
  }
}

function watched(format: 'text' | 'jsonl') {
  const streams = { out: '', err: '' }
  const write = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    streams[stream] += text
  }
  const view = waveRunView({
    format,
    write: write('out'),
    stdoutIsTerminal: false,
    readBlob,
    readPieces: (blob) => [readBlob(blob)],
    plain: plainView({
      write: write('err'),
      paint: createPalette(false),
      columns: 76,
      quiet: true,
      intro: [],
      now: () => 0,
    }),
    close: (line) => write('err')(`${line}\n`),
    now: () => 5_000,
  })
  return { view, streams }
}

describe('what went wrong in ralph wave run', () => {
  test('an item that is tried again is told as one of all', () => {
    const { view, streams } = watched('text')
    view.report(waveStarted())
    view.report({
      type: 'error',
      iteration: 0,
      code: 'retry',
      message: 'rate_limit: tried again in 3 s',
      recoverable: true,
      class: 'rate_limit',
      retry_at: 3000,
      wave_id: 'w-1',
      wave_index: 0,
      attempt: 2,
      max_attempts: 3,
      payload_preview: 'p0',
    })
    expect(streams.err).toBe('  ↻ Worker 1/3 again in 3.0s [rate_limit] attempt 2/3 — p0\n')
  })

  test('an account in trouble is told, with what to do', () => {
    const { view, streams } = watched('text')
    const trouble = { backend: 'claude', class: 'auth', login: 'start it and type /login' } as const
    view.report(
      loopTerminated({ reason: 'backend_unavailable', message: 'failed: auth: no key\u001b[2J', trouble }),
    )
    expect(streams.err.split('\n')).toEqual([
      expect.stringMatching(/^error: failed: auth: no key/),
      '  claude: log in (start it and type /login); then the same command with `--resume` goes on',
      '',
    ])
    expect(streams.err).not.toContain('\u001b')
  })
})

describe('the outputs of ralph wave run', () => {
  test('results come in input order, failed items have none', () => {
    const { view, streams } = watched('text')
    view.settled(item(2, 'c'))
    expect(streams.out).toBe('')
    view.settled(item(0, 'a'))
    expect(streams.out).toBe('a\n')
    view.settled(item(1, null))
    expect(streams.out).toBe('a\nc\n')
  })

  test('jsonl has one object for each item, failed ones with null', () => {
    const { view, streams } = watched('jsonl')
    view.settled(item(0, 'a', { cost_usd: 0.5, cost_source: 'reported' }))
    view.settled(item(1, null, { attempts: 3 }))
    const rows = streams.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toEqual([
      {
        index: 0,
        payload: 'p0',
        status: 'ok',
        result: 'a',
        duration_ms: 12_000,
        cost_usd: 0.5,
        attempts: 1,
        cost_source: 'reported',
      },
      {
        index: 1,
        payload: 'p1',
        status: 'failed',
        result: null,
        duration_ms: 12_000,
        cost_usd: null,
        attempts: 3,
        cost_source: null,
      },
    ])
  })

  test('a result that lies in a file is read from there', () => {
    const { view, streams } = watched('text')
    view.settled({ ...item(0, 'a'), result: { path: '/x', bytes: 1, sha256: '' } })
    expect(streams.out).toBe('the text of /x\n')
  })

  test('stderr has the failures and a closing line with the wave id, nothing else', () => {
    const { view, streams } = watched('text')
    view.report(waveStarted({ worker_count: 3 }))
    for (const settled of [item(0, 'a', { cost_usd: 0.25 }), item(1, null, { log: '/l/stderr.log' })]) {
      view.report(settled.done)
      view.settled(settled)
    }
    view.finish()
    expect(streams.err).toBe(
      [
        '  ✗ Worker 2/3 failed (12s) [failed] — storage module — /l/stderr.log',
        '── Wave w-1: 1 succeeded, 1 failed, 1 not done (0.0s) | cost $0.25 ── `ralph wave redrive w-1` runs the rest',
        '',
      ].join('\n'),
    )
  })

  test('what an earlier run has paid is named, and no cost of this one', () => {
    const reused = { run_id: 'wave-1', wave_id: 'w-0', index: 7 }
    const { view, streams } = watched('jsonl')
    view.report(waveStarted({ worker_count: 2 }))
    view.settled(item(0, 'a', { cost_usd: 0.25, reused }))
    view.settled(item(1, 'b', { cost_usd: 0.5 }))
    view.finish()
    const rows = streams.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toMatchObject([{ cost_usd: 0.25, reused }, { cost_usd: 0.5 }])
    expect(rows[1]).not.toHaveProperty('reused')
    expect(streams.err).toBe('── Wave w-1: 2 succeeded, 0 failed, 1 reused (0.0s) | cost $0.50 ──\n')
  })

  test('a sum that lacks what some agents cost says so', () => {
    const { view, streams } = watched('text')
    view.report(waveStarted({ worker_count: 2 }))
    view.settled(item(0, 'a', { cost_usd: 0.25, cost_source: 'reported' }))
    view.settled(item(1, 'b', { cost_usd: null }))
    view.report(loopTerminated({ agents_without_cost: 1 }))
    view.finish()
    expect(streams.err).toBe('── Wave w-1: 2 succeeded, 0 failed (0.0s) | cost over $0.25 ──\n')
  })

  test('a run that pays for nothing costs nothing, also where nobody knew what it had cost', () => {
    const { view, streams } = watched('text')
    view.report(waveStarted({ worker_count: 1 }))
    view.settled(item(0, 'a', { reused: { run_id: 'wave-1', wave_id: 'w-0', index: 0 } }))
    view.finish()
    expect(streams.err).toBe('── Wave w-1: 1 succeeded, 0 failed, 1 reused (0.0s) | cost $0.00 ──\n')
  })

  test('what an interrupt left finished behind a gap still comes out', () => {
    const { view, streams } = watched('text')
    view.settled(item(1, 'b'))
    view.finish()
    expect(streams.out).toBe('b\n')
  })
})

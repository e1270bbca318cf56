import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiagnostics, type Diagnostics } from '../../../cli/view/diagnostics.ts'
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

let root: string
let now: number
let faults: string[]
let diagnostics: Diagnostics

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-diagnostics-'))
  now = 1_000
  faults = []
  diagnostics = createDiagnostics({
    root: join(root, 'diagnostics'),
    now: () => now,
    onFault: (message) => faults.push(message),
  })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const path = (file: string): string => join(root, 'diagnostics', 'primary-1', file)
const rows = (file: string): Record<string, unknown>[] =>
  readFileSync(path(file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

function tellWave(): void {
  diagnostics.report(loopStarted)
  diagnostics.report(iterationStart({ iteration: 4 }))
  diagnostics.report(waveStarted())
  for (const index of [0, 1, 2]) diagnostics.report(workerStarted(index))
  diagnostics.report(workerDone({ index: 0, cost_usd: 0.5 }))
  diagnostics.report(
    workerDone({ index: 1, success: false, status: 'failed', reason: 'exit code 7: boom', duration_ms: 5 }),
  )
  diagnostics.report(workerDone({ index: 2 }))
  diagnostics.report(waveCompleted())
}

describe('orchestration.jsonl', () => {
  test('has the rows of a wave with exactly the fields of the contract', () => {
    tellWave()
    const wave = rows('orchestration.jsonl').filter((row) => String(row.type).startsWith('Wave'))
    const place = { timestamp: '1970-01-01T00:00:01.000Z', iteration: 4 }
    expect(wave).toEqual([
      {
        type: 'WaveStarted',
        ...place,
        hat: 'disp',
        wave_id: 'w-1',
        expected_total: 3,
        worker_hat: 'work',
        concurrency: 3,
      },
      ...[0, 1, 2].map((index) => ({
        type: 'WaveInstanceStarted',
        ...place,
        hat: 'work',
        wave_id: 'w-1',
        index,
        backend: 'custom',
      })),
      {
        type: 'WaveInstanceCompleted',
        ...place,
        hat: 'work',
        wave_id: 'w-1',
        index: 0,
        duration_ms: 12_000,
        cost_usd: 0.5,
      },
      {
        type: 'WaveInstanceFailed',
        ...place,
        hat: 'work',
        wave_id: 'w-1',
        index: 1,
        error: 'failed: exit code 7: boom',
        duration_ms: 5,
      },
      {
        type: 'WaveInstanceCompleted',
        ...place,
        hat: 'work',
        wave_id: 'w-1',
        index: 2,
        duration_ms: 12_000,
        cost_usd: null,
      },
      {
        type: 'WaveCompleted',
        ...place,
        hat: 'disp',
        wave_id: 'w-1',
        total_results: 2,
        total_failures: 1,
        timed_out: false,
        duration_ms: 14_000,
      },
    ])
  })

  test('says what was finished when the deadline of a wave fired', () => {
    diagnostics.report(loopStarted)
    diagnostics.report(waveStarted({ deadline_secs: 2 }))
    now += 500
    diagnostics.report(workerDone({ index: 0 }))
    now += 1500
    diagnostics.report(workerDone({ index: 1, success: false, status: 'timeout' }))
    diagnostics.report(workerDone({ index: 2, success: false, status: 'timeout' }))
    diagnostics.report(waveCompleted({ timed_out: true }))
    expect(rows('orchestration.jsonl').find((row) => row.type === 'WaveTimedOut')).toMatchObject({
      wave_id: 'w-1',
      timeout_secs: 2,
      finished: 1,
      unfinished: 2,
    })
  })

  test("a worker's own timeout is no deadline of the wave", () => {
    diagnostics.report(loopStarted)
    diagnostics.report(waveStarted({ deadline_secs: 60 }))
    diagnostics.report(workerDone({ success: false, status: 'timeout' }))
    diagnostics.report(waveCompleted({ timed_out: true }))
    expect(rows('orchestration.jsonl').map((row) => row.type)).not.toContain('WaveTimedOut')
  })

  test('tells the course of the loop', () => {
    diagnostics.report(loopStarted)
    diagnostics.report(iterationStart({}))
    diagnostics.report({ type: 'orchestration_event', topic: 'item.go', payload: 'x', source: 'disp' })
    diagnostics.report(loopTerminated())
    const all = rows('orchestration.jsonl')
    expect(all.map((row) => row.type)).toEqual([
      'IterationStarted',
      'HatSelected',
      'EventPublished',
      'LoopTerminated',
    ])
    for (const row of all)
      expect(Object.keys(row).slice(0, 4)).toEqual(['type', 'timestamp', 'iteration', 'hat'])
    expect(all[2]).toMatchObject({ topic: 'item.go', payload: 'x', iteration: 1, hat: 'disp' })
    expect(all[3]).toMatchObject({ reason: 'completed', exit_code: 0 })
  })
})

describe('the other files', () => {
  test('hold what agents said, what went wrong, and how long it took', () => {
    diagnostics.report(loopStarted)
    diagnostics.report({ type: 'text_delta', iteration: 1, delta: 'hi' })
    diagnostics.report({ type: 'error', iteration: 1, code: 'c', message: 'm', recoverable: true })
    diagnostics.report(iterationEnd({ success: false, reason: 'exit code 1' }))
    expect(rows('agent-output.jsonl')).toMatchObject([{ type: 'text_delta', delta: 'hi' }])
    expect(rows('errors.jsonl')).toMatchObject([
      { message: 'm' },
      { type: 'IterationFailed', message: 'exit code 1' },
    ])
    expect(rows('performance.jsonl')).toMatchObject([{ type: 'IterationEnded', duration_ms: 12_000 }])
  })

  test('hold every prompt in full, also one that came before the run had a name', () => {
    diagnostics.logPrompt('iteration 1', 'first\nprompt')
    diagnostics.report(loopStarted)
    diagnostics.logPrompt('iteration 2', 'second')
    expect(readFileSync(path('prompt-log.md'), 'utf8')).toBe(
      '# iteration 1\n\nfirst\nprompt\n\n# iteration 2\n\nsecond\n\n',
    )
  })

  test('come back when the folder is deleted, and are private', () => {
    diagnostics.report(loopStarted)
    diagnostics.report(iterationStart({}))
    rmSync(join(root, 'diagnostics'), { recursive: true })
    diagnostics.report(iterationStart({ iteration: 2 }))
    expect(rows('orchestration.jsonl')).toHaveLength(2)
    expect(statSync(path('orchestration.jsonl')).mode & 0o777).toBe(0o600)
  })

  test('are never written through a link, and a fault is told once', () => {
    const victim = join(root, 'victim')
    writeFileSync(victim, 'mine')
    mkdirSync(join(root, 'diagnostics', 'primary-1'), { recursive: true })
    symlinkSync(victim, path('orchestration.jsonl'))
    diagnostics.report(loopStarted)
    diagnostics.report(iterationStart({}))
    diagnostics.report(iterationStart({ iteration: 2 }))
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain('diagnostics cannot be written')
  })

  test('are not made before a run starts', () => {
    expect(existsSync(join(root, 'diagnostics'))).toBe(false)
  })
})

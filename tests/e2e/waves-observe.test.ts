import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { sandbox } from '../helpers/sandbox.ts'
import { configure, FW, roleScript, run, runEvents, runId } from './fixtures.ts'
import { promptOf, theWave, told } from './waves.ts'

const ONE_FAILS = { 1: 'echo boom >&2; exit 7', else: 'EMIT item.done r' }

describe.concurrent('a wave on stderr', () => {
  test('is announced, each worker is told with its item, a failure with its log, and the end with counts (case 147)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: ONE_FAILS })
    const { stderr } = await run(box)
    expect(stderr).toMatch(/^── WAVE: work \| 3 workers \| timeout 300s ──/m)
    expect(stderr).toMatch(/^ {2}✓ Worker 1\/3 done \(\d+\.\ds\) — a$/m)
    expect(stderr).toMatch(/^── Wave complete: 2 succeeded, 1 failed \(\d+\.\ds\) ──/m)
    const log = /^ {2}✗ Worker 2\/3 failed \(\d+\.\ds\) \[failed\] — b — (\S+)$/m.exec(stderr)?.[1] ?? 'none'
    expect(readFileSync(resolve(box.dir, log), 'utf8')).toBe('boom\n')
  })

  test('is told as it goes: the first worker’s line is there before the last item starts (case 147)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go 1 2 3 4 5 6 7 8 9',
      work: { 8: 'cp progress seen; EMIT item.done r', else: 'EMIT item.done r' },
    })
    await box.sh('exec "$RALPH_BIN" run -p X 2> progress')
    expect(box.read('seen')).toContain('✓ Worker 1/9 done')
    expect(box.read('seen')).not.toContain('✓ Worker 9/9 done')
  })
})

describe.concurrent('a wave as run events', () => {
  test('has a start, each worker’s end and its own end, with the counts that people and the aggregator see (case 148)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: ONE_FAILS })
    const done = await run(box, ['--json'])
    const wave_id = theWave(box)
    expect(told(done, 'wave_started')).toMatchObject([
      { hat_name: 'work', worker_count: 3, timeout_secs: 300, wave_id, hats: ['work'], topics: ['item.go'] },
    ])
    const ends = told(done, 'wave_worker_done').sort((a, b) => Number(a.index) - Number(b.index))
    expect(ends).toMatchObject(
      ['a', 'b', 'c'].map((payload_preview, index) => ({
        index,
        total: 3,
        duration_ms: expect.any(Number),
        success: index !== 1,
        payload_preview,
        wave_id,
        hat: 'work',
        status: index === 1 ? 'failed' : 'ok',
        attempts: 1,
        cost_usd: null,
        cost_source: null,
      })),
    )
    expect(told(done, 'wave_completed')).toMatchObject([
      { succeeded: 2, failed: 1, duration_ms: expect.any(Number), wave_id, statuses: { ok: 2, failed: 1 } },
    ])
    expect(told(done, 'wave_worker_started').map(({ index, attempt }) => [index, attempt])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ])
    expect(done.stderr).toContain('Wave complete: 2 succeeded, 1 failed')
    expect(promptOf(box, 'agg')).toContain('received 2/3')
    const types = runEvents(done).map(({ type }) => type)
    expect(types.indexOf('wave_started')).toBeLessThan(types.indexOf('wave_worker_started'))
    expect(types.lastIndexOf('wave_worker_done')).toBeLessThan(types.indexOf('wave_completed'))
  })

  test('are the rows that RALPH_DIAGNOSTICS=1 keeps of it (case 149)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { timeout: 1 }, agg: { aggregate: { timeout: 1 } } } }))
    roleScript(box, {
      disp: 'WAVE item.go a b c d',
      work: { 1: 'exit 7', 2: 'sleep 300', 3: 'sleep 300', else: 'EMIT item.done r' },
    })
    await run(box, [], { env: { RALPH_DIAGNOSTICS: '1' } })
    const wave_id = theWave(box)
    const orch = box.rows(`.ralph/diagnostics/${runId(box)}/orchestration.jsonl`)
    const of = (type: string): Record<string, unknown>[] => orch.filter((row) => row.type === type)
    expect(of('WaveStarted')).toMatchObject([
      { wave_id, expected_total: 4, worker_hat: 'work', concurrency: 3, timestamp: expect.any(String) },
    ])
    expect(of('WaveInstanceStarted').map(({ index }) => index)).toEqual([0, 1, 2, 3])
    expect(of('WaveInstanceStarted')[0]).toMatchObject({ wave_id, backend: 'custom' })
    expect(of('WaveInstanceCompleted')).toMatchObject([
      { wave_id, index: 0, duration_ms: expect.any(Number), cost_usd: null },
    ])
    expect(of('WaveInstanceFailed').sort((a, b) => Number(a.index) - Number(b.index))).toMatchObject([
      { wave_id, index: 1, error: expect.stringMatching(/^failed/), duration_ms: expect.any(Number) },
      { wave_id, index: 2, error: expect.stringMatching(/^timeout/) },
      { wave_id, index: 3, error: expect.stringMatching(/^timeout/) },
    ])
    expect(of('WaveTimedOut')).toMatchObject([{ wave_id, timeout_secs: 1, finished: 2, unfinished: 2 }])
    expect(of('WaveCompleted')).toMatchObject([
      { wave_id, total_results: 1, total_failures: 3, timed_out: true, duration_ms: expect.any(Number) },
    ])
    const wave = orch.filter(({ type }) => String(type).startsWith('Wave')).map(({ type }) => type)
    expect([wave[0], wave.at(-1)]).toEqual(['WaveStarted', 'WaveCompleted'])
  })
})

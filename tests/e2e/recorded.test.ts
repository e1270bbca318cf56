import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'

/** Journals and events files of runs of this program; in them the workspace is `/workspace`. */
const FOLDER = join(import.meta.dir, '../fixtures/journals')
const RUNS = [
  { name: 'plain-wave', results: 3, failed: 0, last: 'all done' },
  { name: 'partial-failure', results: 2, failed: 1, last: 'two of three' },
  { name: 'timeout', results: 1, failed: 3, last: 'one of four' },
  { name: 'scatter-gather', results: 2, failed: 0, last: 'undecided' },
] as const

/** Lays a recorded run into a workspace, as if it had just ended there. */
function replay(box: Sandbox, name: string, change: (journal: string) => string = (text) => text): void {
  const journal = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8').replaceAll('/workspace', box.dir)
  const { runId, eventsFile } = JSON.parse(journal.slice(0, journal.indexOf('\n'))) as Record<string, string>
  const events = (eventsFile ?? '').slice(box.dir.length + 1)
  box.write(`../home/.local/state/ralph/runs/${runId}/journal.jsonl`, change(journal))
  box.write(events, readFileSync(join(FOLDER, `${name}.events`), 'utf8'))
  box.write('.ralph/current-events', `${events}\n`)
  box.write('.ralph/current-loop-id', `${runId}\n`)
}

describe.concurrent.each(RUNS)('the recorded run $name', ({ name, results, failed, last }) => {
  test('is told by status', async () => {
    await using box = sandbox()
    replay(box, name)
    const { code, stdout } = await box.ralph(['status', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'ended',
      stop_reason: 'completed',
      iteration: 2,
      waves: [],
    })
  })

  test('is shown by events, with the hats that its journal knows', async () => {
    await using box = sandbox()
    replay(box, name)
    const { code, stdout } = await box.ralph(['events', '--json'])
    expect(code).toBe(0)
    const rows = JSON.parse(stdout) as Record<string, unknown>[]
    const merged = rows.filter((row) => row.wave_status !== undefined && row.topic !== 'wave.worker.failed')
    const good = merged.filter((row) => row.wave_status === 'ok' || row.wave_status === 'partial')
    expect([good.length, merged.length - good.length]).toEqual([results, failed])
    expect(rows.find((row) => row.topic === 'LOOP_COMPLETE')).toMatchObject({ payload: last, iteration: 2 })
  })

  test('of a newer format is refused, and the message names both versions', async () => {
    await using box = sandbox()
    replay(box, name, (journal) => journal.replace('{"v":1,', '{"v":2,'))
    for (const command of [['status'], ['run', '--continue', '-b', 'mock', '-p', 'on']]) {
      const { code, stderr } = await box.ralph(command)
      expect(code).toBe(1)
      expect(stderr).toContain('in format 2; this program reads formats up to 1')
    }
  })
})

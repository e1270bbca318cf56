import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import gemini from '../../../plugins/gemini/index.ts'
import { ended, replayCapture } from '../replay.ts'
import { RUNS } from './runs.ts'

test.each(RUNS)('captured run %s', (name, exit, verdict, final, input, output, tools) => {
  const end = exit === 'stopped' ? ended('SIGTERM', { stoppedByUs: true }) : ended(exit)
  const run = replayCapture(gemini, name, end)
  expect({
    verdict: run.verdict.ok ? 'ok' : run.verdict.class,
    final: run.final,
    input: run.usage?.input ?? null,
    output: run.usage?.output ?? null,
    tools: run.tools.length,
    usd: run.usd,
    done: run.done,
  }).toEqual({ verdict, final, input, output, tools, usd: null, done: input !== null })
})

test('every captured run stands in the table', () => {
  const folder = join(import.meta.dir, '../../fixtures/streams/gemini')
  const captured = new Set(
    readdirSync(folder).map((file) => file.replace(/\.(stdout\.jsonl|stderr\.txt)$/, '')),
  )
  expect([...captured].sort()).toEqual(RUNS.map(([name]) => name).sort())
})

test.each([
  ['err429', 'rate_limit', 9],
  ['err503', 'overload', 9],
  ['full-cut', 'network', 9],
] as const)('captured run %s shows its retries of class %s on stderr', (name, reason, atLeast) => {
  const { events } = replayCapture(gemini, name, ended(1))
  const retries = events.filter((event) => event.type === 'retrying')
  expect(retries.length).toBeGreaterThanOrEqual(atLeast)
  expect(retries[0]).toEqual({ type: 'retrying', class: reason, attempt: 1 })
  expect(new Set(retries.map((event) => event.class))).toEqual(new Set([reason]))
})

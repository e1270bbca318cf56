import { expect, test } from 'bun:test'
import { join } from 'node:path'
import opencode from '../../../plugins/opencode/index.ts'
import { capturedRuns, ended, endOf, replay, replayCapture, tellingOf } from '../replay.ts'
import { RUNS } from './runs.ts'

test.each(RUNS)('captured run %s', (name, exit, verdict, final, usd, input, output, turns, tools, done) => {
  const run = replayCapture(opencode, name, endOf(exit))
  expect(tellingOf(run)).toEqual({ verdict, final, usd, input, output, turns, tools, done })
})

test('every captured run stands in the table', () => {
  expect(capturedRuns(opencode)).toEqual(RUNS.map(([name]) => name).sort())
})

test.each(['hello', 'two'])('captured run %s, cut off in its last record, is no success', async (name) => {
  const path = join(import.meta.dir, `../../fixtures/streams/opencode/${name}.stdout.jsonl`)
  const out = await Bun.file(path).text()
  const cut = out.slice(0, out.lastIndexOf('"type":"step_finish"') + 20)
  expect(replay(opencode, { out: cut }, ended(0)).verdict).toMatchObject({ ok: false, class: 'unknown' })
})

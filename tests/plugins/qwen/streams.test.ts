import { expect, test } from 'bun:test'
import { join } from 'node:path'
import qwen from '../../../plugins/qwen/index.ts'
import { capturedRuns, ended, endOf, replay, replayCapture, tellingOf } from '../replay.ts'
import { RUNS } from './runs.ts'

test.each(RUNS)('captured run %s', (name, exit, verdict, final, input, output, turns, tools, done) => {
  const run = replayCapture(qwen, name, endOf(exit))
  expect(tellingOf(run)).toEqual({ verdict, final, usd: null, input, output, turns, tools, done })
})

test('every captured run stands in the table', () => {
  expect(capturedRuns(qwen)).toEqual(RUNS.map(([name]) => name).sort())
})

test.each(['hello', 'two'])('captured run %s, cut off in its last record, is no success', async (name) => {
  const path = join(import.meta.dir, `../../fixtures/streams/qwen/${name}.stdout.jsonl`)
  const out = await Bun.file(path).text()
  const cut = out.slice(0, out.lastIndexOf('"type":"result"') + 20)
  expect(replay(qwen, { out: cut }, ended(0)).verdict).toMatchObject({ ok: false, class: 'unknown' })
})

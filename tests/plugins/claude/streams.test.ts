import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import claude from '../../../plugins/claude/index.ts'
import { ended, replay, replayCapture } from '../replay.ts'
import { RUNS } from './runs.ts'

test.each(RUNS)('captured run %s', (name, exit, verdict, final, usd, input, output, turns, tools) => {
  const run = replayCapture(claude, name, ended(exit))
  expect({
    verdict: run.verdict.ok ? 'ok' : run.verdict.class,
    final: run.final,
    usd: run.usd,
    input: run.usage?.input ?? null,
    output: run.usage?.output ?? null,
    turns: run.turns,
    tools: run.tools.length,
  }).toEqual({ verdict, final, usd, input, output, turns, tools })
})

test('every captured run stands in the table', () => {
  const folder = join(import.meta.dir, '../../fixtures/streams/claude')
  const captured = new Set(
    readdirSync(folder).map((file) => file.replace(/\.(stdout\.jsonl|stderr\.txt)$/, '')),
  )
  expect([...captured].sort()).toEqual(RUNS.map(([name]) => name).sort())
})

test.each(RUNS.filter(([, , , , usd]) => usd !== null))(
  'captured run %s ends on a terminal record',
  (name, exit) => {
    expect(replayCapture(claude, name, ended(exit)).done).toBe(true)
  },
)

test.each(['hello', 'two', 'bglong'])(
  'captured run %s without the end of its last line is no success',
  async (name) => {
    const path = join(import.meta.dir, `../../fixtures/streams/claude/${name}.stdout.jsonl`)
    const out = (await Bun.file(path).text()).slice(0, -20)
    const { verdict } = replay(claude, { out: name === 'bglong' ? firstTurn(out) : out }, ended(0))
    expect(verdict).toMatchObject({ ok: false, class: 'unknown' })
  },
)

/** Without any whole result: the first one is taken out. */
function firstTurn(out: string): string {
  return out
    .split('\n')
    .filter((line) => !/"type":"result".*\}$/.test(line))
    .join('\n')
}

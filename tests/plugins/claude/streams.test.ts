import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FailureClass } from '../../../core/backend/contract.ts'
import claude from '../../../plugins/claude/index.ts'
import { ended, replay, replayCapture } from '../replay.ts'

/** Captured run, exit code, verdict, final message, USD, input and output tokens, turns, tool calls. Null: never told. */
type Row = readonly [
  name: string,
  exit: number,
  verdict: 'ok' | FailureClass,
  final: string,
  usd: number | null,
  input: number | null,
  output: number | null,
  turns: number | null,
  tools: number,
]

const DONE = 'All done. LOOP_COMPLETE'
const ONE = 0.0011474999999999999
const TWO = 0.0022949999999999997
const THREE = 0.0034424999999999994

const RUNS: readonly Row[] = [
  ['allowedtools', 0, 'ok', DONE, 0.00266, 2300, 50, 2, 1],
  ['append', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['badsettings', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['bare', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['bgdisabled', 0, 'ok', 'ended my turn at once', TWO, 2300, 50, 2, 1],
  ['bgleft', 0, 'ok', 'left it running', TWO, 2300, 50, 2, 1],
  ['bglong', 0, 'ok', 'ended my turn at once', THREE, 3450, 75, 3, 1],
  ['big-arg130k', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['big-stdin200k', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['big-stdin2m', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['bigout', 0, 'ok', 'big done', TWO, 2300, 50, 2, 1],
  ['cfgdir', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['dashprompt', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['dontask', 0, 'ok', DONE, 0.00266, 2300, 50, 2, 1],
  ['emit', 0, 'ok', 'emitted', TWO, 2300, 50, 2, 1],
  ['envdump', 0, 'ok', 'env dumped', TWO, 2300, 50, 2, 1],
  ['err429once', 0, 'ok', 'recovered', ONE, 1150, 25, 1, 0],
  ['failcmd', 0, 'ok', 'it failed as expected', TWO, 2300, 50, 2, 1],
  ['gitcommit', 0, 'ok', 'done', TWO, 2300, 50, 2, 1],
  ['hello', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['json', 0, 'ok', DONE, TWO, 2300, 50, 2, 0],
  ['json-verbose', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['jsonschema', 0, 'ok', 'Just text.', TWO, 2300, 50, 2, 0],
  ['mcpdead', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['mcpslow', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['nested', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['nonroot', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['nopp', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['noprompts', 0, 'ok', DONE, 0.00266, 2300, 50, 2, 1],
  ['partial', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['promptfile', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['resume', 0, 'ok', 'Just text.', THREE, 1150, 25, 1, 0],
  ['safemode', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['sid', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['slash', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['stall-apitimeout5s', 0, 'ok', 'partial te', 0.0019649999999999997, 2300, 26, 1, 0],
  ['stdin', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['stdin-and-arg', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['stdin-open', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['streamerr', 0, 'ok', 'partial', ONE, 2300, 26, 1, 0],
  ['streamin', 0, 'ok', DONE, TWO, 2300, 50, 2, 1],
  ['subst2', 0, 'ok', 'done', TWO, 2300, 50, 2, 1],
  ['sysfile', 0, 'ok', 'Just text.', ONE, 1150, 25, 1, 0],
  ['toolslow', 0, 'ok', 'after timeout', THREE, 3450, 75, 3, 1],
  ['two', 0, 'ok', 'both done', TWO, 2300, 50, 3, 2],

  ['badclaudejson', 1, 'config', '', 0, 0, 0, 0, 0],
  ['budget', 1, 'budget', 'again', 0.0057374999999999995, 4600, 100, 5, 5],
  ['connrefused', 1, 'network', '', 0, 0, 0, 1, 0],
  ['credit', 1, 'quota', '', 0, 0, 0, 1, 0],
  ['cut-max0', 1, 'network', '', 0, 0, 0, 1, 0],
  ['err400', 1, 'context_too_long', '', 0, 0, 0, 1, 0],
  ['err401', 1, 'auth', '', 0, 0, 0, 1, 0],
  ['err401-json', 1, 'auth', '', 0, 0, 0, 1, 0],
  ['err401-max0', 1, 'auth', '', 0, 0, 0, 1, 0],
  ['err403', 1, 'auth', '', 0, 0, 0, 1, 0],
  ['err404', 1, 'model', '', 0, 0, 0, 1, 0],
  ['err429', 1, 'rate_limit', '', 0, 0, 0, 1, 0],
  ['err429-maxretries1', 1, 'rate_limit', '', 0, 0, 0, 1, 0],
  ['err429long', 1, 'rate_limit', '', 0, 0, 0, 1, 0],
  ['err500', 1, 'overload', '', 0, 0, 0, 1, 0],
  ['err503', 1, 'overload', '', 0, 0, 0, 1, 0],
  ['err529-max0', 1, 'overload', '', 0, 0, 0, 1, 0],
  ['err529-maxretries1', 1, 'overload', '', 0, 0, 0, 1, 0],
  ['hang-apitimeout5s', 1, 'network', '', 0, 0, 0, 1, 0],
  ['maxturns', 1, 'turn_limit', 'again', TWO, 2300, 50, 3, 2],
  ['nokey', 1, 'auth', '', 0, 0, 0, 1, 0],
  ['quota', 1, 'rate_limit', '', 0, 0, 0, 1, 0],
  ['resume-missing', 1, 'unknown', '', 0, 0, 0, 0, 0],
  // Interrupted: exit 0, and yet no success.
  ['sigint', 0, 'unknown', 'sleeping', ONE, 1150, 25, 3, 1],

  ['badflag', 1, 'config', '', null, null, null, null, 0],
  ['badmcpjson', 1, 'config', '', null, null, null, null, 0],
  ['badmodelarg', 1, 'config', '', null, null, null, null, 0],
  ['big-arg200k', 126, 'crash', '', null, null, null, null, 0],
  ['big-stdin12m', 1, 'context_too_long', '', null, null, null, null, 0],
  ['emptyprompt', 1, 'config', '', null, null, null, null, 0],
  ['err401-text', 1, 'crash', '', null, null, null, null, 0],
  ['fallback', 124, 'crash', '', null, null, null, null, 0],
  ['hello-noIS', 1, 'config', '', null, null, null, null, 0],
  ['noprompt', 1, 'config', '', null, null, null, null, 0],
  ['noverbose', 1, 'config', '', null, null, null, null, 0],
  ['permmode-root', 1, 'config', '', null, null, null, null, 0],
  ['sid-again', 1, 'config', '', null, null, null, null, 0],
  ['sid-bad', 1, 'config', '', null, null, null, null, 0],
  ['text', 0, 'unknown', '', null, null, null, null, 0],
]

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

import type { FailureClass } from '../../../core/backend/contract.ts'

/** Captured run, exit code (or `stopped`: by us, with TERM), verdict, final message, USD, input and output tokens, turns, tool calls, and whether its last record was the end. Null: never told. */
type Row = readonly [
  name: string,
  exit: number | 'stopped',
  verdict: 'ok' | FailureClass,
  final: string,
  usd: number | null,
  input: number | null,
  output: number | null,
  turns: number | null,
  tools: number,
  done: boolean,
]

const DONE = 'All done. LOOP_COMPLETE'

/** Every captured run, and what is to be read of it. */
export const RUNS: readonly Row[] = [
  ['big-stdin2m', 0, 'ok', 'Just text.', 0.00016, 150, 25, 1, 0, true],
  ['emit', 0, 'ok', 'emitted', 0.00032, 300, 50, 2, 1, true],
  ['err429once', 0, 'ok', 'recovered', 0.000164, 150, 25, 1, 0, true],
  ['failcmd', 0, 'ok', 'it failed as expected', 0.00032, 300, 50, 2, 1, true],
  ['first', 0, 'ok', DONE, 0.00032, 300, 50, 2, 1, true],
  ['gitcommit', 0, 'ok', 'done', 0.00032, 300, 50, 2, 1, true],
  ['hello', 0, 'ok', DONE, 0.00032, 300, 50, 2, 1, true],
  ['heredoc', 0, 'ok', 'done', 0.000328, 300, 50, 2, 1, true],
  ['maxtok', 0, 'ok', 'cut by length', 0.000164, 150, 25, 1, 0, true],
  ['noauto', 0, 'ok', DONE, 0.00032, 300, 50, 2, 1, true],
  ['stdin', 0, 'ok', DONE, 0.00032, 300, 50, 2, 1, true],
  ['stdin-open', 0, 'ok', 'Just text.', 0.00016, 150, 25, 1, 0, true],
  ['two', 0, 'ok', 'both done', 0.000328, 300, 50, 2, 2, true],

  ['badflag', 1, 'config', '', null, null, null, null, 0, false],
  ['badmodel', 1, 'unknown', '', null, null, null, null, 0, false],
  ['cut', 1, 'network', '', null, null, null, null, 0, false],
  ['default', 0, 'unknown', '', null, null, null, null, 0, false],
  ['err400', 1, 'context_too_long', '', null, null, null, null, 0, false],
  ['err401', 1, 'auth', '', null, null, null, null, 0, false],
  ['err403', 1, 'auth', '', null, null, null, null, 0, false],
  ['err404', 1, 'model', '', null, null, null, null, 0, false],
  ['err429', 1, 'rate_limit', '', null, null, null, null, 0, false],
  ['err500', 1, 'overload', '', null, null, null, null, 0, false],
  ['quota', 1, 'quota', '', null, null, null, null, 0, false],
]

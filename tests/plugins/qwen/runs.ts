import type { FailureClass } from '../../../core/backend/contract.ts'

/** Captured run, exit code (or `stopped`: by us, with TERM), verdict, final message, input and output tokens, turns, tool calls, and whether its last record was the end. Null: never told. */
type Row = readonly [
  name: string,
  exit: number | 'stopped',
  verdict: 'ok' | FailureClass,
  final: string,
  input: number | null,
  output: number | null,
  turns: number | null,
  tools: number,
  done: boolean,
]

const DONE = 'All done. LOOP_COMPLETE'

/** Every captured run, and what is to be read of it. */
export const RUNS: readonly Row[] = [
  ['bgleft', 0, 'ok', 'left it running', 300, 50, 2, 1, true],
  ['emit', 0, 'ok', 'emitted', 300, 50, 2, 1, true],
  ['err429once', 0, 'ok', 'recovered', 450, 75, 1, 0, true],
  ['failcmd', 0, 'ok', 'it failed as expected', 300, 50, 2, 1, true],
  ['gitcommit', 0, 'ok', 'done', 300, 50, 2, 1, true],
  ['hello', 0, 'ok', DONE, 300, 50, 2, 1, true],
  ['heredoc', 0, 'ok', 'done', 300, 50, 2, 1, true],
  ['maxtok', 0, 'ok', 'cut by length', 300, 50, 1, 0, true],
  ['model', 0, 'ok', DONE, 300, 50, 2, 1, true],
  ['stdin', 0, 'ok', DONE, 300, 50, 2, 1, true],
  ['streamerr', 0, 'ok', 'partial', 300, 50, 1, 0, true],
  ['subst2', 0, 'ok', 'done', 300, 50, 2, 1, true],
  ['two', 0, 'ok', 'both done', 300, 50, 2, 2, true],

  ['err400', 1, 'context_too_long', '', 0, 0, 1, 0, true],
  ['err401', 1, 'auth', '', 0, 0, 1, 0, true],
  ['err403', 1, 'auth', '', 0, 0, 1, 0, true],
  ['err404', 1, 'model', '', 0, 0, 1, 0, true],
  ['err500', 1, 'overload', '', 0, 0, 1, 0, true],
  ['noauth', 1, 'auth', '', 0, 0, 0, 0, true],

  ['badflag', 1, 'config', '', null, null, null, 0, false],
  ['maxturns', 53, 'turn_limit', 'again', 300, 50, null, 2, false],

  ['cut', 'stopped', 'unknown', '', null, null, null, 0, false],
  ['err429', 'stopped', 'unknown', '', null, null, null, 0, false],
  ['quota', 'stopped', 'unknown', '', null, null, null, 0, false],
]

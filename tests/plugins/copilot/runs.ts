import type { FailureClass } from '../../../core/backend/contract.ts'

/** Captured run, exit code (or `stopped`: by us, with TERM), verdict, final message, turns, tool calls, and whether its last record was the end. Null: never told. */
type Row = readonly [
  name: string,
  exit: number | 'stopped',
  verdict: 'ok' | FailureClass,
  final: string,
  turns: number | null,
  tools: number,
  done: boolean,
]

const DONE = 'All done. LOOP_COMPLETE'

/** Every captured run, and what is to be read of it. */
export const RUNS: readonly Row[] = [
  ['badmodel', 0, 'ok', 'Just text.', 1, 0, true],
  ['bgleft', 0, 'ok', 'left it running', 2, 1, true],
  ['denied', 0, 'ok', 'looked', 2, 1, true],
  ['emit', 0, 'ok', 'emitted', 2, 1, true],
  ['err429once', 0, 'ok', 'recovered', 1, 0, true],
  ['failcmd', 0, 'ok', 'it failed as expected', 2, 1, true],
  ['gitcommit', 0, 'ok', 'done', 2, 1, true],
  ['hello', 0, 'ok', DONE, 2, 1, true],
  ['heredoc', 0, 'ok', 'done', 2, 1, true],
  ['maxtok', 0, 'ok', 'cut by length', 1, 0, true],
  ['stdin', 0, 'ok', DONE, 2, 1, true],
  ['streamerr', 0, 'ok', 'partial', 1, 0, true],
  ['subst2', 0, 'ok', 'done', 2, 1, true],
  ['two', 0, 'ok', 'both done', 2, 2, true],

  ['cut', 1, 'network', '', 1, 0, true],
  ['err400', 1, 'context_too_long', '', 1, 0, true],
  ['err401', 1, 'auth', '', 1, 0, true],
  ['err403', 1, 'auth', '', 1, 0, true],
  ['err404', 1, 'model', '', 1, 0, true],
  ['err429', 1, 'rate_limit', '', 1, 0, true],
  ['err500', 1, 'overload', '', 1, 0, true],
  ['quota', 1, 'quota', '', 1, 0, true],

  ['badflag', 1, 'config', '', null, 0, false],
  ['noauth', 1, 'auth', '', null, 0, false],
  ['text', 0, 'unknown', '', null, 0, false],
]

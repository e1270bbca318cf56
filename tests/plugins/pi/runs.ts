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
  ['badmodel', 0, 'ok', DONE, 0.00032799999999999995, 300, 50, 2, 1, true],
  ['emit', 0, 'ok', 'emitted', 0.00032799999999999995, 300, 50, 2, 1, true],
  ['err429once', 0, 'ok', 'recovered', 0.00016399999999999997, 150, 25, 1, 0, true],
  ['failcmd', 0, 'ok', 'it failed as expected', 0.00032799999999999995, 300, 50, 2, 1, true],
  ['hello', 0, 'ok', DONE, 0.00032799999999999995, 300, 50, 2, 1, true],
  ['hello-1.6.0', 0, 'ok', DONE, 0.00032799999999999995, 300, 50, 2, 1, true],
  ['heredoc', 0, 'ok', 'done', 0.00032799999999999995, 300, 50, 2, 1, true],
  ['loop', 0, 'ok', DONE, 0.00032799999999999995, 300, 50, 2, 1, true],
  ['maxtok', 0, 'ok', 'cut by length', 0.00016399999999999997, 150, 25, 1, 0, true],
  ['stdin', 0, 'ok', 'Just text.', 0.00016399999999999997, 150, 25, 1, 0, true],
  ['stdin-and-arg', 0, 'ok', 'Just text.', 0.00016399999999999997, 150, 25, 1, 0, true],
  ['stdin-open', 0, 'ok', 'Just text.', 0.00016399999999999997, 150, 25, 1, 0, true],
  ['two', 0, 'ok', 'both done', 0.00032799999999999995, 300, 50, 2, 2, true],

  ['cut', 0, 'network', '', 0, 0, 0, 4, 0, true],
  ['err400', 0, 'context_too_long', '', 0, 0, 0, 1, 0, true],
  ['err401', 0, 'auth', '', 0, 0, 0, 1, 0, true],
  ['err404', 0, 'model', '', 0, 0, 0, 1, 0, true],
  ['err429', 0, 'rate_limit', '', 0, 0, 0, 4, 0, true],
  ['err500', 0, 'overload', '', 0, 0, 0, 4, 0, true],
  ['quota', 0, 'quota', '', 0, 0, 0, 1, 0, true],

  ['badflag', 1, 'config', '', null, null, null, null, 0, false],
  ['err401-text', 1, 'auth', '', null, null, null, null, 0, false],
]

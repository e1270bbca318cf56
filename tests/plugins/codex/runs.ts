import type { FailureClass } from '../../../core/backend/contract.ts'

/** Captured run, exit code (or `stopped`: by us, with TERM), verdict, final message, input and output tokens, tool calls, and whether its last record was the end. Null: never told. */
type Row = readonly [
  name: string,
  exit: number | 'stopped',
  verdict: 'ok' | FailureClass,
  final: string,
  input: number | null,
  output: number | null,
  tools: number,
  done: boolean,
]

const DONE = 'All done. LOOP_COMPLETE'

/** Every captured run, and what is to be read of it. */
export const RUNS: readonly Row[] = [
  ['emit', 0, 'ok', 'emitted', 300, 50, 1, true],
  ['emit-nologin', 0, 'ok', 'emitted', 300, 50, 1, true],
  ['emit-setpath', 0, 'ok', 'emitted', 300, 50, 1, true],
  ['envdump', 0, 'ok', 'env dumped', 300, 50, 1, true],
  ['envsecret', 0, 'ok', 'done', 300, 50, 1, true],
  ['ephemeral', 0, 'ok', 'Just text.', 150, 25, 0, true],
  ['err429once', 0, 'ok', 'recovered', 150, 25, 0, true],
  ['failcmd', 0, 'ok', 'it failed as expected', 300, 50, 1, true],
  ['gitcommit', 0, 'ok', 'done', 300, 50, 1, true],
  ['hello', 0, 'ok', DONE, 300, 50, 1, true],
  ['heredoc', 0, 'ok', 'done', 300, 50, 1, true],
  ['lastmsg', 0, 'ok', 'Just text.', 150, 25, 0, true],
  ['maxtok', 0, 'ok', 'cut by length', 150, 25, 0, true],
  ['model', 0, 'ok', DONE, 300, 50, 1, true],
  ['nogit', 0, 'ok', DONE, 300, 50, 1, true],
  ['sandbox', 0, 'ok', DONE, 300, 50, 1, true],
  ['stdin', 0, 'ok', DONE, 300, 50, 1, true],
  ['stdin-open', 0, 'ok', 'Just text.', 150, 25, 0, true],
  ['two', 0, 'ok', 'both done', 300, 50, 2, true],

  ['cut', 1, 'network', '', null, null, 0, true],
  ['err400', 1, 'context_too_long', '', null, null, 0, true],
  ['err401', 1, 'auth', '', null, null, 0, true],
  ['err403', 1, 'auth', '', null, null, 0, true],
  ['err404', 1, 'model', '', null, null, 0, true],
  ['err429', 1, 'rate_limit', '', null, null, 0, true],
  ['err500', 1, 'overload', '', null, null, 0, true],
  ['err503', 1, 'overload', '', null, null, 0, true],
  ['quota', 1, 'quota', '', null, null, 0, true],

  ['badflag', 2, 'config', '', null, null, 0, false],
  ['big-stdin2m', 1, 'context_too_long', '', null, null, 0, false],
  ['text', 0, 'unknown', '', null, null, 0, false],

  ['err429long', 'stopped', 'unknown', '', null, null, 0, false],
]

import type { FailureClass } from '../../../core/backend/contract.ts'

/** Captured run, exit code (or `stopped`: by us, with TERM), verdict, final message, input and output tokens, tool calls. */
type Row = readonly [
  name: string,
  exit: number | 'stopped',
  verdict: 'ok' | FailureClass,
  final: string,
  input: number | null,
  output: number | null,
  tools: number,
]

const DONE = 'All done. LOOP_COMPLETE'

/** Every captured run, and what is to be read of it. */
export const RUNS: readonly Row[] = [
  ['approval-yolo', 0, 'ok', DONE, 300, 60, 1],
  ['autoedit', 0, 'ok', DONE, 300, 60, 1],
  ['bgleft', 0, 'ok', 'left it running', 300, 60, 1],
  ['bgtool', 0, 'ok', 'ended my turn at once', 300, 60, 1],
  ['emit', 0, 'ok', 'emitted', 300, 60, 1],
  ['envdump', 0, 'ok', 'env dumped', 300, 60, 1],
  ['envsecret', 0, 'ok', 'done', 300, 60, 1],
  ['envsecret-gha', 0, 'ok', 'done', 300, 60, 1],
  ['err429once', 0, 'ok', 'recovered', 150, 30, 0],
  ['failcmd', 0, 'ok', 'it failed as expected', 300, 60, 1],
  ['gitcommit', 0, 'ok', 'done', 300, 60, 1],
  ['gitcommit-env', 0, 'ok', 'done', 300, 60, 1],
  ['gitcommit-local', 0, 'ok', 'done', 300, 60, 1],
  ['hello', 0, 'ok', DONE, 300, 60, 1],
  ['hello-subst-blocked', 0, 'ok', DONE, 300, 60, 1],
  ['heredoc', 0, 'ok', 'done', 300, 60, 1],
  ['nomodel', 0, 'ok', DONE, 450, 90, 1],
  ['norelaunch', 0, 'ok', DONE, 300, 60, 1],
  ['noyolo', 0, 'ok', DONE, 300, 60, 1],
  ['positional', 0, 'ok', DONE, 300, 60, 1],
  // Refused by the model's safety: the stream does not show it.
  ['refusal', 0, 'ok', 'no', 150, 30, 0],
  ['resume', 0, 'ok', 'Just text.', 150, 30, 0],
  ['sid', 0, 'ok', DONE, 300, 60, 1],
  ['stdin', 0, 'ok', DONE, 300, 60, 1],
  ['stdin-and-arg', 0, 'ok', DONE, 300, 60, 1],
  ['stdin-open', 0, 'ok', DONE, 300, 60, 1],
  ['subst2', 0, 'ok', 'done', 300, 60, 1],
  ['two', 0, 'ok', 'both done', 300, 60, 2],

  ['err400', 144, 'context_too_long', '', 0, 0, 0],
  ['err401', 145, 'auth', '', 0, 0, 0],
  ['err403', 147, 'auth', '', 0, 0, 0],
  ['err404', 1, 'model', '', 0, 0, 0],
  ['full-cut', 1, 'network', '', 0, 0, 0],
  ['full-err500', 244, 'overload', '', 0, 0, 0],
  ['maxturns', 53, 'turn_limit', 'again', 300, 60, 2],
  ['quota', 173, 'quota', '', 0, 0, 0],

  ['badchoice', 1, 'config', '', null, null, 0],
  ['badflag', 1, 'config', '', null, null, 0],
  ['big-arg200k', 126, 'crash', '', null, null, 0],
  ['err401-json', 145, 'auth', '', null, null, 0],
  ['err401-text', 1, 'crash', '', null, null, 0],
  ['hello-noauthsettings', 41, 'auth', '', null, null, 0],
  ['noauth', 41, 'auth', '', null, null, 0],
  ['noprompt', 42, 'config', '', null, null, 0],
  ['sid-again', 42, 'config', '', null, null, 0],
  ['untrusted', 55, 'config', '', null, null, 0],
  ['untrusted-default', 55, 'config', '', null, null, 0],
  ['json', 0, 'unknown', '', null, null, 0],
  ['text', 0, 'unknown', '', null, null, 0],

  ['cut', 'stopped', 'unknown', '', null, null, 0],
  ['err429', 'stopped', 'unknown', '', null, null, 0],
  ['err429long', 'stopped', 'unknown', '', null, null, 0],
  ['err500', 'stopped', 'unknown', '', null, null, 0],
  ['err503', 'stopped', 'unknown', '', null, null, 0],
  ['full-stall', 'stopped', 'unknown', 'partial tepartial te', null, null, 0],
  ['stall', 'stopped', 'unknown', 'partial te', null, null, 0],
]

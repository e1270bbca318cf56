import { expect, test } from 'bun:test'
import { judgeSilence, judgeSuccess } from '../../plugins/process-end.ts'
import { judgeTrouble, statusClass, troubleClass } from '../../plugins/trouble.ts'
import { ended } from './replay.ts'

test.each([
  [400, 'unknown'],
  [401, 'auth'],
  [402, 'quota'],
  [403, 'auth'],
  [404, 'model'],
  [408, 'network'],
  [413, 'context_too_long'],
  [429, 'rate_limit'],
  [500, 'overload'],
  [529, 'overload'],
] as const)('HTTP status %d is of class %s', (status, reason) => {
  expect(statusClass(status)).toBe(reason)
})

test.each([
  ['unexpected status 401 Unauthorized: no, url: http://x:500/', 'auth'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit'],
  ['[API Error: 503 try again]', 'overload'],
  ['500: {"message":"no"}', 'overload'],
  ['Model not found on provider (HTTP 404).', 'model'],
  ['Failed; retried 5 times Last error: 500 Internal server error', 'overload'],
  ['400: {"message":"prompt is too long: 250000 tokens > 200000 maximum"}', 'context_too_long'],
  ["This model's maximum context length is 8192 tokens", 'context_too_long'],
  ['429: {"message":"You exceeded your current quota","code":"insufficient_quota"}', 'quota'],
  ["You've hit your usage limit.", 'quota'],
  ['Quota exceeded. Check your plan and billing details.', 'quota'],
  ['429: Quota exceeded for metric requests per minute. Please retry in 12s.', 'rate_limit'],
  ['429: Quota exceeded for metric requests per day. Please retry in 9h1m2.0s.', 'quota'],
  ['stream disconnected before completion', 'network'],
  ['Cannot connect to API', 'network'],
  ['Request timed out.', 'network'],
  ['Rate limit reached', 'rate_limit'],
  ['We are experiencing high demand', 'overload'],
  ['Incorrect API key provided', 'auth'],
  ['The model `x` does not exist', 'model'],
  ['database is locked', 'locked'],
  ['something went wrong at 127.0.0.1:8429', 'unknown'],
] as const)('%s is of class %s', (message, reason) => {
  expect(troubleClass(message)).toBe(reason)
})

test('a status that is known by itself counts in place of one in the words', () => {
  expect(troubleClass('no', 429)).toBe('rate_limit')
  expect(troubleClass('you exceeded your daily quota', 429)).toBe('quota')
})

test.each([
  ['Please retry in 37.5s.', 37_500],
  ['Please retry in 9h1m2.0s.', 32_462_000],
  ['Please retry in 2m', 120_000],
  ['Please retry later', undefined],
])('%s asks for a wait of %p ms', (message, retryAfterMs) => {
  const verdict = judgeTrouble(message)
  expect(verdict.ok ? null : verdict.retryAfterMs).toBe(retryAfterMs)
})

test('what the provider said in JSON is told in its words', () => {
  expect(judgeTrouble('401: {"error":{"code":1,"message":"no \\"such\\" key","type":"x"}}')).toEqual({
    ok: false,
    class: 'auth',
    message: '401: no "such" key',
  })
})

test('a success of the stream needs exit 0, unless we ended the program', () => {
  expect(judgeSuccess(ended(0))).toEqual({ ok: true })
  expect(judgeSuccess(ended(7))).toMatchObject({ ok: false, class: 'crash' })
  expect(judgeSuccess(ended('SIGTERM', { stoppedByUs: true }))).toEqual({ ok: true })
})

test.each([
  [
    "WARNING: x\nerror: unexpected argument '--no' found\n\nUsage: x",
    'config',
    "error: unexpected argument '--no' found",
  ],
  ['program run [words]\n\nOptions:\n  -h', 'config', 'program run [words]'],
  ['Error: No authentication information found.', 'auth', 'Error: No authentication information found.'],
  ['  at open\nSQLiteError: database is locked', 'locked', 'SQLiteError: database is locked'],
  ['Warning: it may\nboom', 'crash', 'boom'],
] as const)('a program that exits with 1 and says %j is of class %s', (stderrTail, reason, told) => {
  expect(judgeSilence(ended(1, { stderrTail }))).toEqual({
    ok: false,
    class: reason,
    message: `exit code 1: ${told}`,
  })
})

test('without a word of its own, an end is a crash, or unknown where exit 0 or we ended it', () => {
  expect(judgeSilence(ended(1))).toEqual({ ok: false, class: 'crash', message: 'exit code 1' })
  expect(judgeSilence(ended('SIGSEGV'))).toMatchObject({ class: 'crash', message: 'signal SIGSEGV' })
  expect(judgeSilence(ended(0))).toMatchObject({ class: 'unknown' })
  expect(judgeSilence(ended('SIGTERM', { stoppedByUs: true }))).toMatchObject({ class: 'unknown' })
})

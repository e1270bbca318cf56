import type { FailureClass, ProcessEnd, Verdict } from '../core/backend/contract.ts'
import { oneLine } from './one-line.ts'
import { judgeSuccess } from './process-end.ts'
import { type Fields, numberOf, textOf, textsOf } from './record.ts'
import { statusClass } from './trouble.ts'

/** What the stream said of its end. */
export interface Heard {
  /** The last `result` record. */
  readonly result: Fields | null
  /** The last assistant record that is an API error. */
  readonly apiError: Fields | null
}

/** Success: a result that is no error, exit 0. If we ended the process, its last result alone counts. */
export function judge({ result, apiError }: Heard, end: ProcessEnd): Verdict {
  if (result === null) return judgeSilence(end)
  if (isError(result))
    return { ok: false, class: resultClass(result, apiError ?? {}), message: resultMessage(result) }
  return judgeSuccess(end)
}

export function isError(result: Fields): boolean {
  return result.is_error === true || (textOf(result, 'subtype') ?? '').startsWith('error')
}

/** Class of an API error or of a retry, from its word, its HTTP status and its type. */
export function apiClass(record: Fields): FailureClass {
  const status = numberOf(record, 'api_error_status') ?? numberOf(record, 'error_status')
  if (textOf(record, 'error') === 'billing_error') return 'quota'
  if (status !== undefined) return statusClass(status)
  switch (textOf(record, 'error')) {
    case 'authentication_failed':
      return 'auth'
    case 'rate_limit':
      return 'rate_limit'
    case 'overloaded':
      return 'overload'
    case 'model_not_found':
      return 'model'
    // Without a status no answer came at all: refused, reset, timed out.
    case 'server_error':
    case 'unknown':
      return 'network'
    default:
      return 'unknown'
  }
}

function resultClass(result: Fields, apiError: Fields): FailureClass {
  switch (textOf(result, 'terminal_reason')) {
    case 'prompt_too_long':
      return 'context_too_long'
    case 'max_turns':
      return 'turn_limit'
    case 'budget_exhausted':
      return 'budget'
  }
  if (textOf(result, 'stop_reason') === 'refusal') return 'refusal'
  if (textOf(result, 'subtype') === 'error_max_turns') return 'turn_limit'
  if (textOf(result, 'subtype') === 'error_max_budget_usd') return 'budget'
  const api = { ...result, ...apiError }
  if (textOf(api, 'error') !== undefined || numberOf(api, 'api_error_status') !== undefined)
    return apiClass(api)
  return resultMessage(result).startsWith('Configuration error') ? 'config' : 'unknown'
}

function resultMessage(result: Fields): string {
  const said = textOf(result, 'result') || textsOf(result, 'errors').join('; ')
  return oneLine(said || textOf(result, 'terminal_reason') || textOf(result, 'subtype') || 'an error result')
}

/** No result: it never began, was cut off, or lost the end of its output. */
function judgeSilence(end: ProcessEnd): Verdict {
  if (end.stoppedByUs) return { ok: false, class: 'unknown', message: 'ended before its result' }
  if (end.signal !== null) return { ok: false, class: 'crash', message: `signal ${end.signal}` }
  if (end.exitCode === 0) return { ok: false, class: 'unknown', message: 'exit code 0 without a result' }
  const complaint = COMPLAINTS.find(({ says }) => says.test(end.stderrTail))
  const [said = ''] = end.stderrTail.trim().split('\n')
  const message = oneLine(said === '' ? `exit code ${end.exitCode}` : `exit code ${end.exitCode}: ${said}`)
  return { ok: false, class: complaint?.class ?? 'crash', message }
}

/** What it says on stderr where it refuses to begin. */
const COMPLAINTS: readonly { readonly says: RegExp; readonly class: FailureClass }[] = [
  { says: /stdin input exceeds/i, class: 'context_too_long' },
  { says: /root\/sudo privileges/i, class: 'config' },
  {
    says: /^error: (unknown )?option|requires --verbose|Invalid MCP configuration|Configuration error/im,
    class: 'config',
  },
  {
    says: /Input must be provided|No conversation found|Invalid session ID|already in use/i,
    class: 'config',
  },
]

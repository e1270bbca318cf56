import type { FailureClass, ProcessEnd, Verdict } from '../../core/backend/contract.ts'
import { oneLine } from '../one-line.ts'
import { howEnded, judgeSuccess } from '../process-end.ts'
import { type Fields, fieldsOf, textOf } from '../record.ts'
import { judgeTrouble, statusClass } from '../trouble.ts'

/** What the streams said. */
export interface Heard {
  readonly result: Fields | null
  /** Warnings that stand beside a result that calls itself a success. */
  readonly spoiled: { readonly class: FailureClass; readonly message: string } | null
  /** stderr named the model as not found. */
  readonly modelMissing: boolean
  /** What it first complained about on stderr; empty if it did not. */
  readonly complaint: string
}

/**
 * Success: a result that says so, exit 0, and nothing that spoils it. If we ended the process, its result alone counts.
 * It also calls a run a success whose answer was cut or refused by the model; the stream does not show that.
 */
export function judge(heard: Heard, end: ProcessEnd): Verdict {
  const { result, spoiled } = heard
  if (result === null) return judgeSilence(heard.complaint, end)
  if (textOf(result, 'status') !== 'success') return judgeError(heard, fieldsOf(result, 'error'), end)
  if (spoiled !== null) return { ok: false, ...spoiled }
  return judgeSuccess(end)
}

function judgeError({ modelMissing }: Heard, error: Fields, end: ProcessEnd): Verdict {
  const told = textOf(error, 'message') ?? 'an error result'
  const reason = modelMissing ? 'model' : errorClass(textOf(error, 'type') ?? '', told, end.exitCode)
  return judgeTrouble(told, reason)
}

function errorClass(type: string, message: string, exitCode: number | null): FailureClass {
  if (type === 'FatalTurnLimitedError') return 'turn_limit'
  if (/daily quota/i.test(message)) return 'quota'
  if (/prompt is too long|token count.*exceeds|exceeds the maximum number of tokens/i.test(message))
    return 'context_too_long'
  if (/API key not valid/i.test(message)) return 'auth'
  if (/fetch failed|ECONN|ETIMEDOUT|ENOTFOUND|socket hang up/i.test(message)) return 'network'
  const status = /"code":\s*(\d{3})/.exec(message)?.[1]
  if (status !== undefined) return statusClass(Number(status))
  return exitClass(exitCode) ?? 'unknown'
}

/** No result: it refused to begin, or was cut off. */
function judgeSilence(complaint: string, end: ProcessEnd): Verdict {
  if (end.stoppedByUs) return { ok: false, class: 'unknown', message: 'ended before its result' }
  if (end.exitCode === 0) return { ok: false, class: 'unknown', message: 'exit code 0 without a result' }
  const message = oneLine(complaint === '' ? howEnded(end) : `${howEnded(end)}: ${complaint}`)
  const refused = /^(Unknown arguments?|Invalid values):/.test(complaint)
  return { ok: false, class: refused ? 'config' : (exitClass(end.exitCode) ?? 'crash'), message }
}

/** The program's own exit codes, and those that are an HTTP status modulo 256. */
function exitClass(exitCode: number | null): FailureClass | null {
  if (exitCode === null) return null
  const own = OWN_EXIT_CODES.get(exitCode)
  if (own !== undefined) return own
  const status = exitCode + 256
  return (status >= 400 && status < 430) || (status >= 500 && status < 512) ? statusClass(status) : null
}

const OWN_EXIT_CODES: ReadonlyMap<number, FailureClass> = new Map([
  [41, 'auth'],
  [42, 'config'], // no input, or a session that cannot be begun
  [44, 'config'], // its sandbox
  [52, 'config'], // its settings
  [53, 'turn_limit'],
  [55, 'config'], // the folder is not trusted
])

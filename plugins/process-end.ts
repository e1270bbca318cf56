import type { FailureClass, ProcessEnd, Verdict } from '../core/backend/contract.ts'
import { oneLine } from './one-line.ts'
import { troubleClass } from './trouble.ts'

/** `exit code 1`, `signal SIGKILL` */
export function howEnded({ exitCode, signal }: ProcessEnd): string {
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`
}

/** The stream says that all is well. If we ended the process, that alone counts; else it must have exited with 0. */
export function judgeSuccess(end: ProcessEnd): Verdict {
  if (end.stoppedByUs || end.exitCode === 0) return { ok: true }
  return { ok: false, class: 'crash', message: `${howEnded(end)} after a result` }
}

/** The stream does not say how it went: the program refused to begin, was cut off, or lost the end of its output. */
export function judgeSilence(end: ProcessEnd): Verdict {
  if (end.stoppedByUs) return { ok: false, class: 'unknown', message: 'ended before its result' }
  if (end.exitCode === 0) return { ok: false, class: 'unknown', message: 'exit code 0 without a result' }
  const complaint = complaintIn(end.stderrTail)
  const message = oneLine(complaint === '' ? howEnded(end) : `${howEnded(end)}: ${complaint}`)
  return {
    ok: false,
    class: end.signal === null ? complaintClass(complaint, end.stderrTail) : 'crash',
    message,
  }
}

/** The line that calls itself an error, else the first that is no warning. */
function complaintIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.find((line) => /^\s*\w*error\b/i.test(line)) ??
    lines.find((line) => !/^\s*warning\b/i.test(line)) ??
    ''
  )
}

function complaintClass(complaint: string, stderr: string): FailureClass {
  if (REFUSED_ARGUMENTS.test(stderr)) return 'config'
  // Where several begin at once, it may stand deep in a trace.
  if (/database is locked/i.test(stderr)) return 'locked'
  const reason = troubleClass(complaint)
  return reason === 'unknown' ? 'crash' : reason
}

/** What programs say of arguments that they do not know; some only print how they are used. */
const REFUSED_ARGUMENTS =
  /^\s*error: .*\b(unexpected|unknown|invalid) (argument|option|value)|^unknown arguments?\b|^(usage|options):/im

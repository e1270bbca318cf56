import { messageOf, RalphError } from '../core/errors.ts'
import { appendText } from '../core/events-file/append.ts'
import type { Target } from '../core/events-file/target.ts'

/** Appends whole lines to the target of an emit command, at once. Throws a `RalphError` that names the file. */
export function send(target: Target, lines: string): void {
  try {
    appendText(target.path, lines, { followLinks: target.named })
  } catch (error) {
    throw new RalphError('emit_failed', `cannot write ${target.path}: ${messageOf(error)}`, { cause: error })
  }
}

import type { Report } from '../../core/run-event.ts'
import { safeText } from './safe-text.ts'

/**
 * stdout of a plain `run`: the result of a completed run and a newline, nothing else ever.
 * A file or a pipe gets it byte for byte; a terminal gets it without control sequences.
 */
export function resultView(options: {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
}): Report {
  return (event) => {
    if (event.type !== 'loop_terminated' || event.reason !== 'completed' || !event.result) return
    options.write(`${options.isTerminal ? safeText(event.result) : event.result}\n`)
  }
}

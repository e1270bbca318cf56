import { messageOf } from '../../core/errors.ts'
import type { Report } from '../../core/run-event.ts'

/** Tells every view of each event. A view that throws is told nothing more, and `onFault` says so: the others go on. */
export function fanOut(views: readonly Report[], onFault: (message: string, view: Report) => void): Report {
  const open = new Set(views)
  return (event) => {
    for (const view of open) {
      try {
        view(event)
      } catch (error) {
        open.delete(view)
        onFault(`an output of this run has failed: ${messageOf(error)}`, view)
      }
    }
  }
}

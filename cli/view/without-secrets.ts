import type { Report } from '../../core/run-event.ts'
import { redactDeep, type Secrets } from '../../core/secrets.ts'

/** The same observer, who is told no secret. The result of a run is handed over as it is: whoever asked for it gets it. */
export function withoutSecrets(report: Report, secrets: Secrets): Report {
  return (event) => {
    const told = redactDeep(event, secrets)
    report(
      told.type === 'loop_terminated' && event.type === 'loop_terminated'
        ? { ...told, result: event.result }
        : told,
    )
  }
}

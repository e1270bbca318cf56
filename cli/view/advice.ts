import type { AccountTrouble } from '../../core/run-event.ts'
import { formatStamp } from './duration.ts'
import { oneLine } from './safe-text.ts'

/** What a person can do about an account in trouble. `goOn`: how the work is taken up afterwards, such as a command. */
export function renderAdvice(trouble: AccountTrouble, goOn: string): string {
  return `  ${oneLine(trouble.backend, 64)}: ${remedy(trouble)}; then ${goOn}`
}

function remedy({ class: kind, login, retry_at }: AccountTrouble): string {
  if (kind === 'auth')
    return login === undefined
      ? 'log in with the program itself, or set its key'
      : `log in (${oneLine(login, 200)})`
  if (retry_at === undefined) return 'the quota is used up: wait until it is free again, or raise it'
  return `the quota is used up until ${formatStamp(new Date(retry_at).toISOString())}: wait, or raise it`
}

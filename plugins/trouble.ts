import type { FailureClass, Verdict } from '../core/backend/contract.ts'
import { oneLine } from './one-line.ts'

/** Class of an HTTP status that the interface of a model answered with. */
export function statusClass(status: number): FailureClass {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 404) return 'model'
  if (status === 408 || status === 499) return 'network'
  if (status === 413) return 'context_too_long'
  if (status === 429) return 'rate_limit'
  return status >= 500 ? 'overload' : 'unknown'
}

/** Class of what a program says about a call of its model: its own words, or the provider's passed on, with the HTTP status somewhere in them. */
export function troubleClass(message: string, status: number | null = statusIn(message)): FailureClass {
  // A provider uses one status for several things; where it says which, the words count.
  if (isQuota(message)) return 'quota'
  if (TOO_LONG.test(message)) return 'context_too_long'
  const byStatus = status === null ? 'unknown' : statusClass(status)
  if (byStatus !== 'unknown') return byStatus
  return WORDS.find(({ says }) => says.test(message))?.class ?? 'unknown'
}

/** A failure that the program told of in words. */
export function judgeTrouble(
  told: string,
  reason: FailureClass = troubleClass(told),
  retryAfterMs: number | null = retryAfterIn(told),
): Verdict {
  const failure = { ok: false, class: reason, message: oneLine(withoutJson(told)) } as const
  return retryAfterMs === null ? failure : { ...failure, retryAfterMs }
}

/** `401: {"message":"no such key",…}` → `401: no such key` */
function withoutJson(told: string): string {
  return told.replace(/\{.*?"message":\s*"((?:[^"\\]|\\.)*)".*\}/s, (_, message: string) =>
    message.replace(/\\(.)/g, '$1'),
  )
}

/** A wait that the provider asks for in its message, in milliseconds: `Please retry in 37.5s`, `9h1m2.0s`. */
function retryAfterIn(message: string): number | null {
  const [whole, hours, minutes, seconds] =
    /retry in (?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?/i.exec(message) ?? []
  if (whole === undefined || (hours ?? minutes ?? seconds) === undefined) return null
  return Math.round((Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000)
}

/** `500: {…}`, `[API Error: 401 …]`, `unexpected status 401`, `last status: 429`, `(HTTP 404)`, `Last error: 500 …`. */
function statusIn(message: string): number | null {
  const found = /(?:^|API Error: |\bstatus:? |\bHTTP |Last error: )([45]\d\d)\b/.exec(message)?.[1]
  return found === undefined ? null : Number(found)
}

/** Nothing that a wait of minutes would mend. A quota that says when it is free again within the day is a rate limit. */
function isQuota(message: string): boolean {
  if (/insufficient_quota|credit balance|usage limit|payment required|per ?day|daily quota/i.test(message))
    return true
  return /quota exceeded|exceeded your current quota/i.test(message) && !/retry in/i.test(message)
}

const TOO_LONG =
  /prompt (is|as) too long|context.?(length|window|limit|overflow)|exceeds the maximum length|too many tokens/i

const WORDS: readonly { readonly says: RegExp; readonly class: FailureClass }[] = [
  { says: /database is locked/i, class: 'locked' },
  { says: /rate.?limit|too many requests/i, class: 'rate_limit' },
  { says: /overloaded|high demand|internal server error|server_error|unavailable/i, class: 'overload' },
  { says: /api.?key|authenticat|\bno auth\b|unauthori[sz]ed|not logged in|log ?in\b/i, class: 'auth' },
  { says: /model\b.{0,80}\b(not (found|supported|exist)|unknown)|unknown model/i, class: 'model' },
  {
    says: /\bconnect|socket|ECONN|ETIMEDOUT|ENOTFOUND|network|fetch failed|time(d )?out|stream disconnected|error sending request|terminated/i,
    class: 'network',
  },
]

import { usageError } from '../core/errors.ts'

/** The largest count or number of seconds that a flag or a key takes. */
export const MAX_COUNT = 2 ** 31 - 1

/** The value of a flag that counts something; absent stays absent. Throws a usage error for anything below `least` or no integer. */
export function parseCount(flag: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= least && count <= MAX_COUNT) return count
  throw usageError(`--${flag} must be an integer from ${least} to ${MAX_COUNT}, not '${text}'`)
}

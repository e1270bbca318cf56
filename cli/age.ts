import { usageError } from '../core/errors.ts'
import { unreachable } from '../core/result.ts'

/** The value of a flag such as `7d`, `12h` or `30m`, in milliseconds; absent stays absent. Throws a usage error. */
export function parseAge(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(text) ?? []
  if (count === undefined) {
    throw usageError(
      `--${flag} is a number of days, hours or minutes, not '${text}'`,
      `--${flag} 7d, 12h or 30m`,
    )
  }
  return Number(count) * milliseconds(unit as 'd' | 'h' | 'm')
}

function milliseconds(unit: 'd' | 'h' | 'm'): number {
  switch (unit) {
    case 'd':
      return 86_400_000
    case 'h':
      return 3_600_000
    case 'm':
      return 60_000
    default:
      return unreachable(unit)
  }
}

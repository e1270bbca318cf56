import { usageError } from '../core/errors.ts'

/** The indices that a list such as `3,7-9` names, in order, each once. Throws a usage error. */
export function parseIndices(flag: string, text: string): readonly number[] {
  const parts = text.split(',').map((part) => /^\s*(\d{1,9})(?:-(\d{1,9}))?\s*$/.exec(part))
  const indices = parts.flatMap((match) => {
    const first = Number(match?.[1] ?? Number.NaN)
    const last = Number(match?.[2] ?? first)
    if (Number.isNaN(first) || last < first || last - first > LONGEST) {
      throw usageError(`--${flag} is a list of indices such as 3,7-9, not '${text}'`)
    }
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
  return [...new Set(indices)].sort((a, b) => a - b)
}

/** No wave has more items than can be named one by one. */
const LONGEST = 1_000_000

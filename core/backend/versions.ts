import { unreachable } from '../result.ts'

/** The version that a program tells, out of its words: `1.2.3` of `agent 1.2.3 (stable)`. Null: there is none. */
export function versionIn(text: string): string | null {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? null
}

/** True for `*`, and for comparisons parted by blanks: `>=1.2.0 <1.4`, `=2.0.0`. */
export function isVersionRange(range: string): boolean {
  return range === '*' || comparisonsOf(range) !== null
}

/** Whether a version lies in a range. An unknown version (null) lies only in `*`; nothing lies in what is no range. */
export function isWithin(version: string | null, range: string): boolean {
  if (range === '*') return true
  const comparisons = comparisonsOf(range)
  if (version === null || comparisons === null) return false
  return comparisons.every(({ operator, than }) => holds(operator, compareVersions(version, than)))
}

/** Below zero if `a` is the older one; parts that are missing count as 0. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split('.').map(Number))
  for (let i = 0; i < Math.max(one?.length ?? 0, other?.length ?? 0); i++) {
    const difference = (one?.[i] ?? 0) - (other?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

type Operator = '<' | '<=' | '>' | '>=' | '='

interface Comparison {
  readonly operator: Operator
  readonly than: string
}

function comparisonsOf(range: string): readonly Comparison[] | null {
  const comparisons: Comparison[] = []
  for (const word of range.trim().split(/\s+/)) {
    const [, operator, than] = /^(<=?|>=?|=)(\d+(?:\.\d+)*)$/.exec(word) ?? []
    if (operator === undefined || than === undefined) return null
    comparisons.push({ operator: operator as Operator, than })
  }
  return comparisons
}

function holds(operator: Operator, difference: number): boolean {
  switch (operator) {
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    case '>=':
      return difference >= 0
    case '=':
      return difference === 0
    default:
      return unreachable(operator)
  }
}

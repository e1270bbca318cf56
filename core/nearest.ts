/**
 * The candidate that `word` is most likely a misspelling or the beginning of, or null if none is close.
 * Case counts for nothing.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const all = [...candidates]
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of all) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best ?? beginningWith(word, all)
}

/** The only candidate that begins with `word`; a letter or two say nothing. */
function beginningWith(word: string, candidates: readonly string[]): string | null {
  const begun = candidates.filter((candidate) => candidate.toLowerCase().startsWith(word.toLowerCase()))
  const [only] = begun
  return word.length < 3 || only === undefined || begun.length > 1 ? null : only
}

/** The candidate with the smallest distance, however large; case, `-` and `_` count for nothing. Undefined without candidates. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) => editDistance(fold(word), fold(candidate)))
  return candidates[distances.indexOf(Math.min(...distances))]
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}

/** Number of characters to insert, remove, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      let cost = Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return at(last, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}

/** The word of `words` that is nearest to `word` by edit distance; upper case, `-` and `_` count little. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of words) {
    const distance = edits(fold(word), fold(candidate))
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}

/** Insertions, deletions and replacements that turn `a` into `b`. */
function edits(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replace, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    above = row
  }
  return above[b.length] ?? 0
}

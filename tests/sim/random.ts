/** Chances that follow from a seed alone: the same seed, the same run. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
  pick<T>(from: readonly T[]): T | undefined
  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
}

/** Mulberry32: small, fast, and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]): T => from[int(0, from.length - 1)] as T,
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const names = Object.keys(weights) as K[]
      const sum = names.reduce((total, name) => total + weights[name], 0)
      let left = next() * sum
      for (const name of names) {
        left -= weights[name]
        if (left < 0) return name
      }
      return names[0] as K
    },
  }
}

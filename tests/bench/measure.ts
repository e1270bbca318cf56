/** What was measured, in several rounds. */
export interface Sample {
  /** In the order of the rounds. */
  readonly all: readonly number[]
  readonly median: number
  readonly least: number
  readonly most: number
  /** By nearest rank. */
  readonly p99: number
}

/** Runs all in turn, `times` rounds: what disturbs the machine disturbs all of them. Milliseconds. */
export async function interleave<K extends string>(
  times: number,
  tasks: Readonly<Record<K, () => void | Promise<void>>>,
): Promise<Record<K, Sample>> {
  const names = Object.keys(tasks) as K[]
  const taken = new Map<K, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < times; round++) {
    for (const name of names) taken.get(name)?.push(await timed(tasks[name]))
  }
  return Object.fromEntries(names.map((name) => [name, sampleOf(taken.get(name) ?? [])])) as Record<K, Sample>
}

/** Milliseconds that `act` takes. */
export async function timed(act: () => void | Promise<void>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

export function sampleOf(all: readonly number[]): Sample {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { all, median: at(0.5), least: at(0), most: at(1), p99: at(0.99) }
}

/** Round by round, what one is of the other: what disturbed a round disturbed both. */
export function ratio(one: Sample, other: Sample): Sample {
  return sampleOf(one.all.map((value, round) => value / (other.all[round] ?? Number.NaN)))
}

/** The same measure in another unit. */
export function scaled(sample: Sample, by: (value: number) => number): Sample {
  return sampleOf(sample.all.map(by))
}

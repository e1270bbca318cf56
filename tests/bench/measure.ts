/** What one program or function takes, in milliseconds, over several runs. */
export interface Sample {
  readonly median: number
  readonly least: number
}

/** Runs all in turn, `times` rounds: what disturbs the machine disturbs all of them. */
export function interleave<K extends string>(
  times: number,
  tasks: Readonly<Record<K, () => void>>,
): Record<K, Sample> {
  const names = Object.keys(tasks) as K[]
  const taken = new Map<K, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < times; round++) {
    for (const name of names) taken.get(name)?.push(timed(tasks[name]))
  }
  const samples = names.map((name) => [name, sampleOf(taken.get(name) ?? [])])
  return Object.fromEntries(samples) as Record<K, Sample>
}

/** Milliseconds that `act` takes. */
export function timed(act: () => void): number {
  const began = performance.now()
  act()
  return performance.now() - began
}

function sampleOf(times: readonly number[]): Sample {
  const sorted = times.toSorted((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, least: sorted[0] ?? Number.NaN }
}

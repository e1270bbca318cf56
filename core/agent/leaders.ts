/**
 * The agents' own processes that were started here and are not reaped yet: as long as one stands here, its pid is given to no
 * other. What agents leave behind is looked for among all other processes.
 */
export const leaders: {
  has(pid: number): boolean
  add(pid: number): void
  /** It has ended, or withstands every signal: from now on it is a process like any other. */
  delete(pid: number): void
} = new Set<number>()

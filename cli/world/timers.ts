/** Longest time that the runtime's timers take, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Timers that are cleared together. */
export interface Timers {
  set(ms: number, act: () => void): void
  clear(): void
}

export function createTimers(): Timers {
  const running = new Set<NodeJS.Timeout>()
  const set = (ms: number, act: () => void): void => {
    const timer = setTimeout(
      () => {
        running.delete(timer)
        if (ms > LONGEST_MS) set(ms - LONGEST_MS, act)
        else act()
      },
      Math.min(ms, LONGEST_MS),
    )
    running.add(timer)
  }
  return {
    set,
    clear() {
      for (const timer of running) clearTimeout(timer)
      running.clear()
    },
  }
}

import { runningTime } from '../../core/agent/running-time.ts'

/** Longest time that the runtime's timers take, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Timers that are cleared together. They run on the program's running time. */
export interface Timers {
  set(ms: number, act: () => void): void
  clear(): void
}

export function createTimers(): Timers {
  const running = new Set<NodeJS.Timeout>()
  const waitUntil = (due: number, act: () => void): void => {
    const left = Math.max(due - runningTime(), 0)
    const timer = setTimeout(
      () => {
        running.delete(timer)
        if (runningTime() < due) waitUntil(due, act)
        else act()
      },
      Math.min(left, LONGEST_MS),
    )
    running.add(timer)
  }
  return {
    set: (ms, act) => waitUntil(runningTime() + ms, act),
    clear() {
      for (const timer of running) clearTimeout(timer)
      running.clear()
    },
  }
}

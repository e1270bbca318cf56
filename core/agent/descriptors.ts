import { closeSync, openSync, readFileSync } from 'node:fs'

/** Descriptors that one more agent takes while it starts, runs and is filed, with some to spare for everything else. */
const PER_START = 16
/** What an agent that runs may open yet: both logs, and a file for a long answer. */
const PER_RUNNING = 3
/** What an agent holds while it runs, and what the run itself holds, at most. */
const PER_AGENT = 12
const OWN = 100

/**
 * Tells before each start whether the system leaves enough descriptors: one that is missing later would cost an agent's
 * output or its result. `agents`: how many may run at once; `running`: how many do. Looks only where the limit is so low
 * that it can be reached.
 */
export function createDescriptorCheck(agents: number): (running: number) => boolean {
  const limit = readLimit()
  if (limit !== null && limit >= descriptorsFor(agents)) return () => true
  return (running) => canOpen(PER_START + running * PER_RUNNING)
}

/** How many descriptors a run with that many agents at once never exceeds. */
export function descriptorsFor(agents: number): number {
  return OWN + agents * PER_AGENT
}

/** Null where it cannot be read. */
function readLimit(): number | null {
  try {
    const found = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    if (found === undefined) return null
    return found === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found)
  } catch {
    return null
  }
}

function canOpen(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const fd of opened) closeSync(fd)
  }
}

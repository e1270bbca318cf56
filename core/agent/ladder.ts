import { leaders } from './leaders.ts'
import {
  currentProcesses,
  HAS_PROCESS_TABLE,
  nextProcesses,
  type Process,
  readProcesses,
} from './processes.ts'
import { endProcesses, findStrays, STRAY_GRACE_MS, signal } from './strays.ts'
import { within } from './within.ts'

/** A process that leads a group of its own, and how to know its own from others. */
export interface Target {
  readonly pid: number
  /** `RALPH_AGENT` of it and of all that it starts. */
  readonly marker: string
  readonly exited: Promise<unknown>
  isRunning(): boolean
}

/** `group`: the process and its group. `tree`: also what descends from it or carries its marker, wherever it went. */
export type Reach = 'group' | 'tree'

export interface Ending {
  /** All that was to be ended is gone, or has withstood KILL for five seconds. */
  readonly done: Promise<void>
  /** KILL to all of the tree, now. */
  force(): void
}

/**
 * TERM to the group; after `graceMs`, or as soon as the group is gone, KILL to what is left of it; then the same for
 * the rest of the tree. With 0 there is no TERM. The first signal is sent before this returns.
 */
export function beginEnding(target: Target, reach: Reach, graceMs: number): Ending {
  // Taken before the first signal: the children of a process that ends are nobody's afterwards.
  const descendants = currentProcesses().descendants(target.pid)
  let tree = reach === 'tree'
  let grace = graceMs

  async function climb(): Promise<void> {
    if (grace > 0) {
      if (target.isRunning()) signal(-target.pid, 'SIGTERM')
      await groupEnd(target, grace)
    }
    // Only while the number is surely its own: that of a group without members may be given to a stranger.
    if (target.isRunning() || (await groupLives(target.pid))) signal(-target.pid, 'SIGKILL')
    await within(target.exited, UNKILLABLE_MS)
    leaders.delete(target.pid)
    if (tree) await sweep(target, descendants, Math.min(grace, STRAY_GRACE_MS))
  }

  return {
    done: climb(),
    force() {
      tree = true
      grace = 0
      if (target.isRunning()) signal(-target.pid, 'SIGKILL')
      const marked = readProcesses().marked(new Set([target.marker]))
      void endProcesses([...descendants, ...marked], 0)
    },
  }
}

const UNKILLABLE_MS = 5000
const LOOK_MS = 15

/** Resolves as soon as the group is gone: its leader may leave others behind that are still cleaning up. */
async function groupEnd(target: Target, ms: number): Promise<void> {
  const until = performance.now() + ms
  await within(target.exited, ms)
  while (performance.now() < until && (await groupLives(target.pid))) await Bun.sleep(LOOK_MS)
}

async function groupLives(pgid: number): Promise<boolean> {
  if (HAS_PROCESS_TABLE) return (await nextProcesses()).group(pgid).length > 0
  try {
    return process.kill(-pgid, 0)
  } catch {
    return false
  }
}

/** Again and again, since a process may be starting another while we look: but not for ever. */
async function sweep(target: Target, descendants: readonly Process[], graceMs: number): Promise<void> {
  let left: readonly { readonly pid: number; readonly startTime: string }[] = descendants
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = [...left, ...(await findStrays([target.marker], target.pid))]
    if (found.length === 0) return
    await endProcesses(found, round === 0 ? graceMs : 0)
    left = []
  }
}

const MAX_ROUNDS = 5

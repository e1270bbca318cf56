import type { Stray } from './end.ts'
import {
  commandOf,
  currentProcesses,
  isAlive,
  nextProcesses,
  type Process,
  type ProcessTable,
} from './processes.ts'

/** A process that an agent left behind, and what tells it from a later one with its pid. */
export interface StrayProcess extends Stray {
  readonly startTime: string
}

/** TERM, and what is still there after this is killed. Milliseconds. */
export const STRAY_GRACE_MS = 250

/**
 * What agents have left behind: processes that carry one of the markers, those of the group `pgid`, and all that
 * descends from either. Only for agents whose own process has ended. Finds nothing without a process table.
 */
export async function findStrays(markers: readonly string[], pgid?: number): Promise<StrayProcess[]> {
  return described(strays(await nextProcesses('others'), new Set(markers), pgid))
}

/** The same by a look at once, for who asks seldom and is waited for. */
export function findStraysNow(markers: readonly string[]): StrayProcess[] {
  return described(strays(currentProcesses(), new Set(markers), undefined))
}

function described(those: Iterable<Process>): StrayProcess[] {
  return [...those].map(({ pid, startTime }) => ({ pid, startTime, command: commandOf(pid) }))
}

/**
 * The processes of agents that are known by pid and start time, whatever they carry (a sandbox may have cleared their
 * environment): those that still live, their groups, and all that descends from them.
 */
export async function findTrees(
  agents: readonly Pick<StrayProcess, 'pid' | 'startTime'>[],
): Promise<StrayProcess[]> {
  const table = await nextProcesses()
  const leaders = agents.flatMap(({ pid, startTime }) => {
    const one = table.get(pid)
    return one !== undefined && one.startTime === startTime ? [one] : []
  })
  const found = new Set(
    leaders.flatMap((one) => [one, ...table.group(one.pid), ...table.descendants(one.pid)]),
  )
  return described(found)
}

/** TERM to each, KILL to what is left after `graceMs` (0: at once). Resolves when all are gone, at the latest a second after KILL. */
export async function endProcesses(
  those: readonly Pick<StrayProcess, 'pid' | 'startTime'>[],
  graceMs: number = STRAY_GRACE_MS,
): Promise<void> {
  let left = those.filter(isAlive)
  if (graceMs > 0) {
    for (const one of left) signal(one.pid, 'SIGTERM')
    left = await waitForEnd(left, graceMs)
  }
  for (const one of left) signal(one.pid, 'SIGKILL')
  await waitForEnd(left, AFTER_KILL_MS)
}

/** Those that still live after `ms`; returns as soon as none does. */
export async function waitForEnd<T extends Pick<StrayProcess, 'pid' | 'startTime'>>(
  those: readonly T[],
  ms: number,
): Promise<T[]> {
  const until = performance.now() + ms
  let left = those.filter(isAlive)
  while (left.length > 0 && performance.now() < until) {
    await Bun.sleep(Math.min(LOOK_MS, until - performance.now()))
    left = left.filter(isAlive)
  }
  return left
}

/** Sends a signal; a process (or, below zero, a group) that has gone meanwhile is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {}
}

const AFTER_KILL_MS = 1000
const LOOK_MS = 10

function strays(table: ProcessTable, markers: ReadonlySet<string>, pgid: number | undefined): Set<Process> {
  const found = new Set<Process>(table.marked(markers))
  if (pgid !== undefined && !isReused(table, pgid, found)) {
    for (const one of table.group(pgid)) found.add(one)
  }
  for (const one of found) {
    for (const child of table.descendants(one.pid)) found.add(child)
  }
  return found
}

/** A group whose leader lives, without our marker, is a stranger's: the number was given again. */
function isReused(table: ProcessTable, pgid: number, marked: ReadonlySet<Process>): boolean {
  const leader = table.get(pgid)
  return leader !== undefined && !marked.has(leader)
}

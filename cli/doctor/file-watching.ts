import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { type Check, doubtful, fine } from './check.ts'

export interface WatchFacts {
  /** How many watchers one user may have open. */
  readonly maxInstances: number
  /** Of them in use; null: cannot be told. */
  readonly usedInstances: number | null
  /** How many files and folders one user may watch. */
  readonly maxWatches: number
}

/** Null where the system has no such limits, or does not tell them (it is not Linux). */
export function readWatchLimits(uid: number): WatchFacts | null {
  const maxInstances = readNumber('/proc/sys/fs/inotify/max_user_instances')
  const maxWatches = readNumber('/proc/sys/fs/inotify/max_user_watches')
  if (maxInstances === null || maxWatches === null) return null
  return { maxInstances, usedInstances: countInstances(uid), maxWatches }
}

/** A run has one watcher for all its files; programs of agents have their own. Without one, a run looks by itself every so often. */
export function rateFileWatching(facts: WatchFacts | null, agents: number): Check {
  const check = 'file watching'
  if (facts === null) return fine(check, 'this system tells no limits')
  const { maxInstances, usedInstances, maxWatches } = facts
  const needed = 1 + agents
  const free = maxInstances - (usedInstances ?? 0)
  const used = usedInstances === null ? '' : `, ${usedInstances} in use`
  const detail = `${maxInstances} watchers a user${used}; ${maxWatches} watched files`
  if (free < needed) {
    const todo = `sudo sysctl fs.inotify.max_user_instances=${Math.max(512, maxInstances * 2)}`
    return doubtful(check, `${detail}; ${agents} agents at once may need ${needed} more`, todo)
  }
  return maxWatches < FEW_WATCHES
    ? doubtful(check, `${detail}, which is few`, `sudo sysctl fs.inotify.max_user_watches=65536`)
    : fine(check, detail)
}

/** What older kernels gave: test runners and dev servers watch a whole tree, a file each. */
const FEW_WATCHES = 8192

function readNumber(path: string): number | null {
  try {
    const value = Number(readFileSync(path, 'utf8').trim())
    return Number.isSafeInteger(value) ? value : null
  } catch {
    return null
  }
}

/** Of all processes of the user; those that cannot be read are not theirs. */
function countInstances(uid: number): number | null {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids.reduce((sum, pid) => sum + instancesOf(`/proc/${pid}`, uid), 0)
  } catch {
    return null
  }
}

function instancesOf(process: string, uid: number): number {
  try {
    if (statSync(process).uid !== uid) return 0
    return readdirSync(`${process}/fd`).filter((fd) => isWatcher(`${process}/fd/${fd}`)).length
  } catch {
    return 0
  }
}

function isWatcher(link: string): boolean {
  try {
    return readlinkSync(link) === 'anon_inode:inotify'
  } catch {
    return false
  }
}

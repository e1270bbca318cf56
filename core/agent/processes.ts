import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { leaders } from './leaders.ts'

/** One living process. Zombies are gone: they are never listed. */
export interface Process {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
  /** Clock ticks since boot. With the pid it names one process for as long as the machine runs. */
  readonly startTime: string
  /** Clock ticks of CPU time, those of its ended and reaped children included. */
  readonly cpuTicks: number
  /** Those of the process alone. */
  readonly ownTicks: number
}

/** The processes of this machine at one moment. Empty where there is no `/proc`. */
export interface ProcessTable {
  get(pid: number): Process | undefined
  /** Children, their children and so on; not `pid` itself. */
  descendants(pid: number): readonly Process[]
  group(pgid: number): readonly Process[]
  /** Processes that carry `RALPH_AGENT=<marker>` with one of these markers, as a whole. */
  marked(markers: ReadonlySet<string>): readonly Process[]
  /** CPU time of a process and its descendants. */
  cpuTicks(pid: number): number
}

/** False: only groups can be seen and ended, and signs of life are output and events alone. */
export const HAS_PROCESS_TABLE = process.platform === 'linux'

/** `others`: all but the agents' own processes that still run, each of which costs a look of its own. */
export type Scope = 'all' | 'others'

/** A look at the processes that begins now. Costs about 10 µs for each process of the machine that is new or our own. */
export function readProcesses(scope: Scope = 'all'): ProcessTable {
  const began = performance.now()
  const living = new Map<number, Process>()
  for (const name of HAS_PROCESS_TABLE ? listProc() : []) {
    const pid = Number(name)
    if (!isPid(name) || (scope === 'others' && leaders.has(pid))) continue
    const one = stranger(pid, began) ?? readProcess(name)
    if (one !== undefined) living.set(pid, one)
  }
  rememberStrangers(living, began)
  latestAt = performance.now()
  usualMs = Math.min(latestAt - began, usualMs * 1.5)
  return createTable(living)
}

/** Processes that are none of ours: what else the machine does seldom changes. */
const strangers = new Map<number, Stranger>()
const STRANGER_MS = 1000

interface Stranger {
  readonly one: Process
  /** When it was last seen to be the same. */
  readonly at: number
  /** Of its folder below `/proc`: while the number stays, so does the process. Null: not asked yet. */
  readonly inode: number | null
}

/** Clock ticks since boot at which this program started. */
let ownStart: number | null = null

/** A stranger as it was first read, if it is the same still. Agents, and all that they start, are always read afresh. */
function stranger(pid: number, now: number): Process | undefined {
  const known = strangers.get(pid)
  if (known === undefined) return undefined
  const { one, at } = known
  if (now - at < STRANGER_MS) return one
  // One that an earlier run has left behind matters, and so does its end.
  if (markers.get(one)?.marker) return undefined
  // Asked first: a process that comes in between has another one.
  const inode = inodeOf(pid)
  if (inode === null || (inode !== known.inode && !isUnchanged(one))) return undefined
  strangers.set(pid, { one, at: now, inode })
  return one
}

/** What was seen when it had just begun may have been on its way to become something else. */
function isUnchanged(one: Process): boolean {
  const now = readProcess(String(one.pid))
  const same = now?.startTime === one.startTime && now.pgid === one.pgid && now.ppid === one.ppid
  return same && !readMarker(one.pid)
}

function inodeOf(pid: number): number | null {
  return lstatSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino ?? null
}

function rememberStrangers(living: ReadonlyMap<number, Process>, now: number): void {
  ownStart ??= Number(readStat('self')?.startTime ?? 0)
  for (const pid of strangers.keys()) if (!living.has(pid)) strangers.delete(pid)
  for (const one of living.values()) {
    if (strangers.get(one.pid)?.one === one) continue
    if (Number(one.startTime) < ownStart || isForeign(living, one))
      strangers.set(one.pid, { one, at: now, inode: null })
    else strangers.delete(one.pid)
  }
}

/**
 * True for a younger process that no agent can have started: neither it nor the leader of its group descends from us,
 * and it carries no marker of any run. One whose leader or environment cannot be read may be an agent's all the same.
 */
function isForeign(living: ReadonlyMap<number, Process>, one: Process): boolean {
  const leader = living.get(one.pgid)
  if (leader === undefined || isOurs(living, one) || isOurs(living, leader)) return false
  return readMarker(one.pid) === ''
}

function isOurs(living: ReadonlyMap<number, Process>, one: Process): boolean {
  let at: Process | undefined = one
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    if (at.pid === process.pid || leaders.has(at.ppid)) return true
    at = living.get(at.ppid)
  }
  return at !== undefined
}

/** Pids that are given anew while we look could make a ring of parents. */
const MAX_DEPTH = 1000

/** Empty where no descriptor is left: groups can still be ended. */
function listProc(): readonly string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** A look that begins now, shared with all who ask before this turn of the program is over. */
export function currentProcesses(): ProcessTable {
  if (current === null) {
    current = readProcesses()
    queueMicrotask(() => {
      current = null
    })
  }
  return current
}

/**
 * A look that begins after this call. Callers that come together share one, and looks are spaced so that they cost
 * a quarter of our time at most: many agents that end at once are answered by one look, and a place that becomes
 * free does not wait for long.
 */
export function nextProcesses(scope: Scope = 'all'): Promise<ProcessTable> {
  next[scope] ??= new Promise((resolve) => {
    const look = (): void => {
      next[scope] = null
      resolve(readProcesses(scope))
    }
    const pause = Math.min(3 * usualMs, MAX_PAUSE_MS) - (performance.now() - latestAt)
    if (pause > 0) setTimeout(look, pause)
    else setImmediate(look)
  })
  return next[scope]
}

/** True if this very process still lives (not another with its pid, not a zombie). */
export function isAlive(one: { readonly pid: number; readonly startTime: string }): boolean {
  return readProcess(String(one.pid))?.startTime === one.startTime
}

/** Empty if the process has ended, or where there is no process table. */
export function startTimeOf(pid: number): string {
  return (HAS_PROCESS_TABLE && readStat(String(pid))?.startTime) || ''
}

/** Changes with every start of the machine; empty where unknown. */
export function bootId(): string {
  boot ??= readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return boot
}

/** The command line on one line, shortened; the program's name where that is all there is. */
export function commandOf(pid: number): string {
  const argv = readText(`/proc/${pid}/cmdline`)
    ?.replace(/[\0-\x1f]+/g, ' ')
    .trim()
  const command = argv || `[${readText(`/proc/${pid}/comm`)?.trim() ?? '?'}]`
  return command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND - 1)}…` : command
}

const MAX_COMMAND = 120
const MAX_PAUSE_MS = 50

/** When the latest look ended. */
let latestAt = Number.NEGATIVE_INFINITY
/** What a look costs. One that takes much longer than those before it was only kept waiting by a busy machine. */
let usualMs = Number.POSITIVE_INFINITY
let current: ProcessTable | null = null
const next: Record<Scope, Promise<ProcessTable> | null> = { all: null, others: null }
let boot: string | null = null

function createTable(living: ReadonlyMap<number, Process>): ProcessTable {
  const all = [...living.values()]
  const children = Map.groupBy(all, (one) => one.ppid)
  let byMarker: ReadonlyMap<string, readonly Process[]> | null = null
  const table: ProcessTable = {
    get: (pid) => living.get(pid),
    descendants(pid) {
      const found = new Set<Process>(children.get(pid))
      for (const one of found) for (const child of children.get(one.pid) ?? []) found.add(child)
      return [...found]
    },
    group: (pgid) => all.filter((one) => one.pgid === pgid),
    marked(wanted) {
      byMarker ??= Map.groupBy(
        all.filter((one) => one.pid !== process.pid),
        (one) => markerOf(one) ?? '',
      )
      return [...wanted].flatMap((marker) => (marker === '' ? [] : (byMarker?.get(marker) ?? [])))
    },
    cpuTicks(pid) {
      const tree = table.descendants(pid)
      return tree.reduce((sum, one) => sum + one.cpuTicks, living.get(pid)?.cpuTicks ?? 0)
    },
  }
  return table
}

/** Markers by process as it was read: a program may get another environment by starting another one in its place. */
const markers = new WeakMap<Process, { readonly marker: string | null }>()

function markerOf(one: Process): string | null {
  const known = markers.get(one)
  if (known !== undefined) return known.marker
  const marker = readMarker(one.pid)
  markers.set(one, { marker })
  return marker
}

/** Compared as a whole, since `run:1` is also the beginning of `run:12`. Empty: none; null: there is nothing to read it from. */
function readMarker(pid: number): string | null {
  const environment = readText(`/proc/${pid}/environ`)
  if (environment === undefined || environment === '') return null
  const at = environment.startsWith(MARKER) ? 0 : environment.indexOf(`\0${MARKER}`) + 1
  if (at === 0 && !environment.startsWith(MARKER)) return ''
  const from = at + MARKER.length
  const end = environment.indexOf('\0', from)
  return environment.slice(from, end === -1 ? undefined : end)
}

const MARKER = 'RALPH_AGENT='

function readProcess(pid: string): Process | undefined {
  const stat = readStat(pid)
  return stat === undefined || stat.state === 'Z' || stat.state === 'X' ? undefined : stat
}

/** The name in `/proc/<pid>/stat` may hold spaces and parentheses: the fields begin behind the last one. */
function readStat(pid: string): (Process & { readonly state: string }) | undefined {
  const line = readText(`/proc/${pid}/stat`)
  if (line === undefined) return undefined
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const number = (field: number): number => Number(fields[field - FIRST_FIELD])
  return {
    pid: pid === 'self' ? process.pid : Number(pid),
    state: fields[0] ?? '',
    ppid: number(4),
    pgid: number(5),
    cpuTicks: number(14) + number(15) + number(16) + number(17),
    ownTicks: number(14) + number(15),
    startTime: fields[22 - FIRST_FIELD] ?? '',
  }
}

/** proc(5) numbers the fields from 1; the state, behind the name, is the third. */
const FIRST_FIELD = 3

function isPid(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 48 && first <= 57
}

/** Undefined if the process has ended meanwhile, or belongs to somebody else. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

import type { Traits } from '../backend/contract.ts'
import { lookEvery, readClocks, startSigns } from './clocks.ts'
import type { AgentNote, Clocks } from './contract.ts'
import type { Lapse } from './end.ts'
import { HAS_PROCESS_TABLE, nextProcesses, type ProcessTable } from './processes.ts'
import { runningTime } from './running-time.ts'

/** Watches the clocks of one agent with one timer, armed only while something can run out. */
export interface Watch {
  /** Bytes came. */
  output(): void
  /** An event was accepted. */
  event(): void
  /** A completion or cancellation event was accepted. */
  completion(): void
  terminal(): void
  resumed(): void
  open(count: number): void
  stop(): void
}

export interface Watched {
  readonly pid: number
  readonly clocks: Clocks
  readonly output: Traits['output']
  /** `lapsed` once for each clock, `quiet` once. */
  readonly report: (note: AgentNote) => void
}

export function startWatch({ pid, clocks: wanted, output, report }: Watched): Watch {
  // Text output may linger only while no descendant lives, which cannot be told without a process table.
  const clocks = HAS_PROCESS_TABLE ? wanted : { ...wanted, emitGraceMs: 0 }
  const signs = startSigns(runningTime())
  const told = new Set<Lapse>()
  let warned = false
  let looked = signs.started
  let cpu: Cpu | null = null
  let timer: Timer | null = null
  let stopped = false

  function arm(): void {
    if (stopped) return
    const now = runningTime()
    const { lapsed, next } = readClocks(signs, clocks, output, now)
    const every = lookEvery(signs, clocks, output)
    const look = every === null || !HAS_PROCESS_TABLE ? null : Math.max(looked, signs.life) + every
    const due = lapsed.some((which) => !told.has(which)) ? now : null
    const times = [next, look, due].filter((time) => time !== null)
    if (timer !== null) clearTimeout(timer)
    const ms = Math.max(Math.min(...times) - now, 0)
    timer = times.length === 0 ? null : setTimeout(wake, Math.min(ms, MAX_TIMER_MS))
  }

  async function wake(): Promise<void> {
    timer = null
    const now = runningTime()
    const every = lookEvery(signs, clocks, output)
    const { lapsed } = readClocks(signs, clocks, output, now)
    const matters = lapsed.some((which) => which === 'inactivity' || which === 'lingering')
    if (every !== null && (matters || now - Math.max(looked, signs.life) >= every)) {
      const isFirst = cpu === null
      look(await nextProcesses())
      // On a busy machine the first look may come when time is up already: it has nothing to compare with, and proves nothing.
      if (isFirst && matters) signs.life = looked
    }
    tell()
    if (timer === null) arm()
  }

  /** The first look only tells what the later ones are compared with. */
  function look(table: ProcessTable): void {
    const before = cpu
    const sinceMs = runningTime() - looked
    looked += sinceMs
    const own = table.get(pid)?.ownTicks ?? 0
    cpu = { own, others: table.cpuTicks(pid) - own }
    if (before !== null && isAtWork(cpu, before, sinceMs)) signs.life = looked
    if (table.descendants(pid).length > 0) signs.busy = looked
  }

  function tell(): void {
    if (stopped) return
    const { lapsed, quietMs } = readClocks(signs, clocks, output, runningTime())
    if (quietMs !== null && !warned) {
      warned = true
      report({ type: 'quiet', silentMs: Math.round(quietMs) })
    }
    for (const which of lapsed) {
      if (stopped || told.has(which)) continue
      told.add(which)
      report({ type: 'lapsed', which })
    }
  }

  arm()
  return {
    output() {
      signs.output = runningTime()
      signs.life = signs.output
    },
    event() {
      signs.event = runningTime()
      signs.life = signs.event
      arm()
    },
    completion() {
      signs.completion ??= runningTime()
      arm()
    },
    terminal() {
      signs.terminal = runningTime()
      arm()
    },
    resumed() {
      signs.terminal = null
    },
    open(count) {
      if (count === 0 && signs.open > 0 && signs.terminal !== null) signs.terminal = runningTime()
      signs.open = count
      arm()
    },
    stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** Clock ticks of CPU time: the program's own, and those of all that it started. */
interface Cpu {
  readonly own: number
  readonly others: number
}

/**
 * A program that waits for its tool turns over: measured, up to 2.5 % of a core. That is no sign of life, or an agent
 * whose tool hangs would live on for ever. In what it started, every tick is one.
 */
function isAtWork(now: Cpu, before: Cpu, sinceMs: number): boolean {
  return now.others !== before.others || now.own - before.own > sinceMs * IDLE_TICKS_PER_MS
}

/** 5 % of a core. */
const IDLE_TICKS_PER_MS = 0.05 / 10

/** Timers cannot be longer than 2^31 ms. */
const MAX_TIMER_MS = 2 ** 30

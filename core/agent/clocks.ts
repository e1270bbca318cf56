import type { Traits } from '../backend/contract.ts'
import type { Clocks } from './contract.ts'
import type { Lapse } from './end.ts'

/** What an agent's clocks run on. All times are monotonic milliseconds; null: has not happened. */
export interface Signs {
  readonly started: number
  /** Last bytes on stdout or stderr. */
  output: number
  /** Last sign of life of any kind. */
  life: number
  /** Last time that a descendant was seen alive. */
  busy: number
  /** Last accepted event. */
  event: number | null
  /** The terminal record that stands, or the closing of the last tool after it. */
  terminal: number | null
  /** Tools and background tasks that are open. */
  open: number
  /** A completion or cancellation event. */
  completion: number | null
}

export interface Reading {
  /** All clocks that have run out. */
  readonly lapsed: readonly Lapse[]
  /** Silence so far, once it has lasted a third of what is allowed. */
  readonly quietMs: number | null
  /** When to look again; null: nothing can run out unless something happens. */
  readonly next: number | null
}

export function startSigns(now: number): Signs {
  return {
    started: now,
    output: now,
    life: now,
    busy: now,
    event: null,
    terminal: null,
    open: 0,
    completion: null,
  }
}

/** What has run out at `now`, and what will next. Pure. */
export function readClocks(signs: Signs, clocks: Clocks, output: Traits['output'], now: number): Reading {
  const ends: [Lapse, number | null][] = [
    ['limit', after(signs.started, clocks.limitMs)],
    ['inactivity', after(signs.life, clocks.inactivityMs)],
    ['lingering', lingeringEnd(signs, clocks, output)],
    ['completion', completionEnd(signs, output)],
  ]
  const lapsed: Lapse[] = []
  let next: number | null = null
  const quietAt = after(signs.life, clocks.inactivityMs && clocks.inactivityMs / 3)
  for (const [which, end] of [...ends, [null, quietAt] as const]) {
    if (end === null) continue
    if (end > now) next = Math.min(next ?? end, end)
    else if (which !== null) lapsed.push(which)
  }
  return { lapsed, quietMs: quietAt !== null && quietAt <= now ? now - signs.life : null, next }
}

/**
 * How often the process tree is looked at while there is no other sign of life: milliseconds; null while no clock
 * depends on it. An eighth of the shortest window, so that a sign of life is dated well enough.
 */
export function lookEvery(signs: Signs, clocks: Clocks, output: Traits['output']): number | null {
  const windows = [clocks.inactivityMs, output === 'text' && signs.event !== null ? clocks.emitGraceMs : null]
  const shortest = Math.min(...windows.map((ms) => ms || Number.POSITIVE_INFINITY))
  return Number.isFinite(shortest) ? Math.min(Math.max(shortest / 8, MIN_LOOK_MS), MAX_LOOK_MS) : null
}

const MIN_LOOK_MS = 100
const MAX_LOOK_MS = 5000

function after(start: number | null, ms: number | null): number | null {
  return start === null || ms === null || ms <= 0 ? null : start + ms
}

function lingeringEnd(signs: Signs, clocks: Clocks, output: Traits['output']): number | null {
  if (output === 'stream') return after(signs.open > 0 ? null : signs.terminal, clocks.exitGraceMs)
  return signs.event === null
    ? null
    : after(Math.max(signs.event, signs.life, signs.busy), clocks.emitGraceMs)
}

/** Holds with a grace of 0, too: the run waits only for this agent. */
function completionEnd(signs: Signs, output: Traits['output']): number | null {
  const { completion } = signs
  if (completion === null) return null
  if (output === 'text') {
    return Math.min(completion + TEXT_ANYWAY_MS, Math.max(completion, signs.output) + TEXT_SILENT_MS)
  }
  const done = after(signs.open > 0 ? null : signs.terminal, STREAM_DONE_MS)
  return Math.min(completion + STREAM_ANYWAY_MS, done ?? Number.POSITIVE_INFINITY)
}

const TEXT_SILENT_MS = 5000
const TEXT_ANYWAY_MS = 30_000
const STREAM_DONE_MS = 15_000
const STREAM_ANYWAY_MS = 60_000

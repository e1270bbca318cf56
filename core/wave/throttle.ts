/** How many agents of a backend run at once while its provider pushes back. */
export interface Pressure {
  /** So many may run, a probe not counted. At least one. */
  limit: number
  /** So many at once were too many; Infinity: their number was not the reason. */
  ceiling: number
  /** Number of the agent that finds out whether one more is served. */
  probe: number | null
  /** One more is tried from this time on (mono, ms). */
  probeAt: number
  /** None starts before this time (mono, ms): the last refusal met an agent that ran alone. */
  heldUntil: number
  /** Wait before the next probe, ms; doubles with each that is refused. */
  waitMs: number
  /** What it began with. */
  readonly firstWaitMs: number
  /** Agents up to this number had started when the limit was last cut: their refusals are the same news. */
  since: number
}

/** By backend. One without an entry is not held back. */
export type Throttle = Map<string, Pressure>

export interface Refusal {
  /** Number of the refused agent. */
  readonly n: number
  /** Agents of the backend that go on running. */
  readonly others: number
  /** Agents that the run has started so far. */
  readonly started: number
  readonly mono: number
  /** `retry.backoff_seconds`, in milliseconds. */
  readonly backoffMs: number
  /** The provider's retry-after; 0: none. */
  readonly wishMs: number
}

/** Longest wait before a probe, ms. */
const LONGEST_WAIT_MS = 15 * 60_000
/** Shortest one, whatever the config says. */
const SHORTEST_WAIT_MS = 1000

/**
 * The provider refused an agent. Halves the limit, once for all agents that were on their way, and not for a probe; and
 * never leaves more than still run: those it serves. Where none does, none starts until the wait is over. Returns what a
 * person should hear.
 */
export function refuse(throttle: Throttle, backend: string, of: Refusal): 'fewer' | 'none' | null {
  const { n, others, mono } = of
  const before = throttle.get(backend)
  const isProbing = before !== undefined && before.probe !== null
  const isOld = before !== undefined && !isProbing && n <= before.since
  const limit = isProbing || isOld ? before.limit : Math.ceil((others + 1) / 2)
  const isAgain = isProbing || (before !== undefined && !isOld && others === 0)
  const firstWaitMs = Math.max(of.backoffMs, SHORTEST_WAIT_MS)
  const waited = before?.waitMs ?? firstWaitMs
  const waitMs = isAgain ? Math.min(waited * 2, LONGEST_WAIT_MS) : waited
  const until = mono + Math.max(waitMs, of.wishMs)
  throttle.set(backend, {
    limit: Math.max(1, Math.min(limit, others)),
    ceiling: others === 0 ? Number.POSITIVE_INFINITY : others + 1,
    probe: null,
    probeAt: until,
    heldUntil: others === 0 ? until : 0,
    waitMs,
    firstWaitMs,
    since: of.started,
  })
  if (others === 0) return 'none'
  return isOld || isProbing ? null : 'fewer'
}

/** An agent ended well. Below what was refused there is room for one more with each; what a probe found out holds. At `most` places the backend is free again. */
export function serve(throttle: Throttle, backend: string, of: { n: number; most: number }): void {
  const pressure = throttle.get(backend)
  if (pressure === undefined) return
  if (pressure.probe === of.n) {
    pressure.probe = null
    pressure.limit += 1
    pressure.ceiling = pressure.limit * 2
    pressure.waitMs = pressure.firstWaitMs
    pressure.probeAt = 0
  } else if (pressure.limit < pressure.ceiling - 1) {
    pressure.limit += 1
  }
  if (pressure.ceiling === Number.POSITIVE_INFINITY) pressure.waitMs = pressure.firstWaitMs
  if (pressure.probe === null && pressure.limit >= of.most) throttle.delete(backend)
}

/** An agent ended in another way, which tells nothing of the provider: if it was the probe, another may be tried. */
export function unlearn(throttle: Throttle, backend: string, n: number): void {
  const pressure = throttle.get(backend)
  if (pressure?.probe === n) pressure.probe = null
}

/** An agent starts beside `running` others of its backend: above the limit it is a probe. */
export function admit(throttle: Throttle, backend: string, of: { n: number; running: number }): void {
  const pressure = throttle.get(backend)
  if (pressure !== undefined && of.running >= pressure.limit) pressure.probe = of.n
}

/** Free places of a backend under pressure. */
export interface FreePlaces {
  readonly any: number
  /** For an item's last attempt. */
  readonly last: number
}

/**
 * What may start now beside `running` agents. An item's last attempt runs alone (`lastRuns`: one is under way): a provider
 * that serves anybody serves that one, so that no item uses up its attempts because of others.
 */
export function freePlaces(
  pressure: Pressure,
  of: { mono: number; running: number; lastRuns: boolean },
): FreePlaces {
  if (of.mono < pressure.heldUntil || of.lastRuns) return { any: 0, last: 0 }
  const last = of.running === 0 ? 1 : 0
  if (pressure.probe !== null) return { any: pressure.limit + 1 - of.running, last }
  const any = pressure.limit - of.running
  return { any: any === 0 && of.mono >= pressure.probeAt ? 1 : any, last }
}

/** When more may start though nothing else happens (mono, ms); null: only an agent's end can change that. */
export function nextPlace(pressure: Pressure, mono: number): number | null {
  if (mono < pressure.heldUntil) return pressure.heldUntil
  return pressure.probe === null && mono < pressure.probeAt ? pressure.probeAt : null
}

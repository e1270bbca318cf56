import { backoffWithJitter } from './retry.ts'

/** When agents of a backend may start, by backend; times are mono, in milliseconds. */
export interface Pace {
  /** None before this. */
  notBefore: number
  /** A timer will wake the run then; null: none is set. */
  wakeAt: number | null
}

export type Paces = Map<string, Pace>

/** An agent has started: the next one keeps its distance. The jitter follows from `key`, so that a replay gives the same. */
export function keepDistance(
  paces: Paces,
  backend: string,
  of: { gapMs: number; mono: number; key: string },
): void {
  if (of.gapMs <= 0) return
  paceOf(paces, backend).notBefore = of.mono + backoffWithJitter(of.gapMs, of.key)
}

/** A timer was set that wakes the run at `at`. */
export function expectWake(paces: Paces, backend: string, at: number): void {
  paceOf(paces, backend).wakeAt = at
}

/** The timer that was set for `at` has fired: another may be set. */
export function wake(paces: Paces, backend: string, at: number): void {
  const pace = paces.get(backend)
  if (pace?.wakeAt === at) pace.wakeAt = null
}

/** A timer is set that wakes the run by then. */
export function willWake(paces: Paces, backend: string, at: number): boolean {
  const set = paces.get(backend)?.wakeAt ?? null
  return set !== null && set <= at
}

function paceOf(paces: Paces, backend: string): Pace {
  const known = paces.get(backend)
  if (known !== undefined) return known
  const fresh: Pace = { notBefore: 0, wakeAt: null }
  paces.set(backend, fresh)
  return fresh
}

import type { HatId } from '../hat.ts'
import { willWake } from '../wave/pace.ts'
import { isLastAttempt } from '../wave/retry.ts'
import { type FreePlaces, freePlaces, nextPlace } from '../wave/throttle.ts'
import type { Work } from '../wave/wave.ts'
import type { Action } from './action.ts'
import { backendOf } from './backends.ts'
import type { Now, State } from './state.ts'

/** Places of the backend that plays a hat, where it is held back by the distance between its starts or by its provider; null: it is not. */
export function freeOf(state: State, hat: HatId, { mono }: Now): FreePlaces | null {
  const { name = '', startGapMs = 0 } = backendOf(state, { hat }) ?? {}
  if (mono < (state.paces.get(name)?.notBefore ?? 0)) return NONE
  const pressure = state.throttle.get(name)
  const places = pressure === undefined ? null : freePlaces(pressure, { mono, ...lookAt(state, name) })
  if (startGapMs === 0) return places
  // It keeps a distance: one at a time.
  return places === null ? ONE : { any: Math.min(places.any, 1), last: Math.min(places.last, 1) }
}

/** The timer that is needed so that a backend which is held back is not forgotten. */
export function wakeFor(state: State, backend: string, { mono }: Now): readonly Action[] {
  const notBefore = state.paces.get(backend)?.notBefore ?? 0
  const pressure = state.throttle.get(backend)
  const at = mono < notBefore ? notBefore : pressure === undefined ? null : nextPlace(pressure, mono)
  if (at === null || willWake(state.paces, backend, at)) return []
  // Whole milliseconds: a timer that fires a moment too soon would be set again at once.
  return [{ kind: 'set-timer', timer: { kind: 'start', backend, at }, ms: Math.ceil(at - mono) }]
}

/** An agent of this backend may not start yet. */
export function isTooSoon(state: State, backend: string, { mono }: Now): boolean {
  return mono < (state.paces.get(backend)?.notBefore ?? 0)
}

const NONE: FreePlaces = { any: 0, last: 0 }
const ONE: FreePlaces = { any: 1, last: 1 }

function lookAt(state: State, backend: string): { running: number; lastRuns: boolean } {
  let running = 0
  let lastRuns = false
  for (const one of state.running.values()) {
    if (one.backend !== backend) continue
    running += 1
    lastRuns ||= isOnLastAttempt(state, one.work)
  }
  return { running, lastRuns }
}

function isOnLastAttempt(state: State, work: Work): boolean {
  const hat = work.wave === null ? undefined : state.waves.get(work.wave)?.hats[work.hat]
  // `attempts` counts the one that runs.
  return hat !== undefined && isLastAttempt(work.attempts - 1, hat, state.rules.features.retry)
}

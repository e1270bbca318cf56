import { isComplete } from '../wave/gate.ts'
import type { Action } from './action.ts'
import { halted, usedMs } from './limits.ts'
import type { Now, State, StopReason } from './state.ts'
import { steerLoop } from './steer-loop.ts'
import { steerWaves } from './steer-waves.ts'

/**
 * What is permitted now: pure, and the only place that decides. An empty answer means that only a new fact can change that.
 * Every action is recorded before it is done, so that asking again does not permit it twice.
 */
export function decide(state: State, now: Now): readonly Action[] {
  if (state.ended !== null) return []
  const ends = endings(state)
  if (ends !== null) return ends
  return [...stops(state), ...watchRuntime(state, now), ...steerWaves(state, now), ...steerLoop(state, now)]
}

/** The end of the run, once nothing is running that it must wait for; null: not yet. */
function endings(state: State): readonly Action[] | null {
  if (state.running.size > 0 || state.due.length > 0 || hasUnfiled(state)) return null
  const reason = state.stop?.how === 'now' ? state.stop.reason : endedByWaves(state)
  return reason === null ? null : [{ kind: 'end', reason }]
}

/** A stop or a spent budget that left items open; or, without a loop, the end of its one wave. */
function endedByWaves(state: State): StopReason | null {
  const at = state.loop?.phase.at
  const pausing = at === 'backing-off' || at === 'cooling' || at === 'begun'
  if (pausing) return halted(state)
  const waves = [...state.waves.values()]
  const left = waves.some((wave) => !isComplete(wave))
  if (left) return halted(state)
  return state.loop === null ? 'completed' : null
}

/** No outcome is given up before it is on disk. */
function hasUnfiled(state: State): boolean {
  for (const wave of state.waves.values()) if (wave.unfiled.length > 0) return true
  return false
}

/** Agents whose time is up. */
function stops(state: State): readonly Action[] {
  return state.due.map(({ n, cause }) => ({ kind: 'stop-agent', n, cause }))
}

function watchRuntime(state: State, now: Now): readonly Action[] {
  const seconds = state.rules.eventLoop.maxRuntimeSeconds
  if (state.runtimeArmed || state.loop === null) return []
  const ms = seconds * 1000 - usedMs(state, now)
  return [{ kind: 'set-timer', timer: { kind: 'runtime' }, ms: Math.max(0, ms) }]
}

import type { HatId } from '../hat.ts'
import { isComplete } from '../wave/gate.ts'
import { startable } from '../wave/schedule.ts'
import type { Wave, Work } from '../wave/wave.ts'
import type { Action } from './action.ts'
import { backendOf } from './backends.ts'
import { itemBrief } from './brief.ts'
import { halted } from './limits.ts'
import type { State } from './state.ts'

/** What open waves permit now: timers, outcomes to be kept, merges, and items for free places. */
export function steerWaves(state: State): readonly Action[] {
  const actions: Action[] = []
  for (const wave of state.waves.values()) actions.push(...steerWave(state, wave))
  if (state.waves.size === 0 || halted(state) !== null) return actions
  const { maxConcurrency, maxAgents } = state.rules.features
  const room = Math.min(maxConcurrency - state.running.size, maxAgents - state.totals.agentsStarted)
  startable(state.waves.values(), { room, backendOf: nameOf(state), free: heldBack(state) }).forEach(
    (work, i) => {
      actions.push(startItem(state, work, state.totals.agentsStarted + 1 + i))
    },
  )
  return actions
}

/** Name of the backend that plays a hat. */
function nameOf(state: State): (hat: HatId) => string {
  return (hat) => backendOf(state, { hat })?.name ?? ''
}

/** Free places of the backends whose providers push back. */
function heldBack(state: State): ReadonlyMap<string, number> {
  const free = new Map(state.throttle)
  if (free.size === 0) return free
  for (const { backend } of state.running.values()) {
    const left = free.get(backend)
    if (left !== undefined) free.set(backend, left - 1)
  }
  return free
}

function steerWave(state: State, wave: Wave): readonly Action[] {
  const actions: Action[] = []
  if (wave.deadlineSeconds !== null && !wave.deadlineArmed) {
    actions.push({
      kind: 'set-timer',
      timer: { kind: 'deadline', wave: wave.id },
      ms: wave.deadlineSeconds * 1000,
    })
  }
  for (const { work, ms } of wave.retries) {
    actions.push({ kind: 'set-timer', timer: { kind: 'retry', work: work.id }, ms })
  }
  if (wave.unfiled.length > 0) actions.push({ kind: 'file-outcomes', wave, works: wave.unfiled })
  if (isComplete(wave) && wave.finish === 'open' && state.loop !== null)
    actions.push({ kind: 'merge-wave', wave })
  return actions
}

function startItem(state: State, work: Work, n: number): Action {
  const wave = work.wave === null ? undefined : state.waves.get(work.wave)
  if (wave === undefined) throw new Error(`item ${work.id} has no open wave`)
  return {
    kind: 'start-agent',
    n,
    attempt: work.attempts + 1,
    work,
    brief: itemBrief(wave, work),
    backend: work.hat,
    limitSeconds: wave.timeouts[work.hat] ?? null,
    inactivitySeconds: null,
  }
}

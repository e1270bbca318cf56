import { isComplete } from '../wave/gate.ts'
import { isLastAttempt } from '../wave/retry.ts'
import { startable } from '../wave/schedule.ts'
import type { Wave, Work } from '../wave/wave.ts'
import type { Action } from './action.ts'
import { backendOf } from './backends.ts'
import { itemBrief } from './brief.ts'
import { halted } from './limits.ts'
import { freeOf, wakeFor } from './pacing.ts'
import type { Now, State } from './state.ts'

/** What open waves permit now: timers, outcomes to be kept, merges, and items for free places. */
export function steerWaves(state: State, now: Now): readonly Action[] {
  const actions: Action[] = []
  for (const wave of state.waves.values()) actions.push(...steerWave(state, wave))
  if (state.waves.size === 0 || halted(state) !== null) return actions
  const { maxConcurrency, maxAgents, retry } = state.rules.features
  const places = state.room.held ? 0 : Math.min(maxConcurrency, state.room.limit ?? maxConcurrency)
  const { works, heldBack } = startable(state.waves.values(), {
    room: Math.min(places - state.running.size, maxAgents - state.totals.agentsStarted),
    backendOf: (hat) => backendOf(state, { hat })?.name ?? '',
    free: (hat) => freeOf(state, hat, now),
    isLast: (work, hat) => isLastAttempt(work.attempts, hat, retry),
  })
  works.forEach((work, i) => {
    actions.push(startItem(state, work, state.totals.agentsStarted + 1 + i))
  })
  // What starts now is heeded first: this is asked again at once.
  if (works.length === 0) for (const backend of heldBack) actions.push(...wakeFor(state, backend, now))
  return actions
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

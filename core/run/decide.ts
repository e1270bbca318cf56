import type { HatId } from '../hat.ts'
import { unreachable } from '../result.ts'
import { planStage } from '../wave/chain.ts'
import { isComplete } from '../wave/gate.ts'
import { type PlanRules, resolveDispatches } from '../wave/plan.ts'
import { startable } from '../wave/schedule.ts'
import type { Wave, WaveId, Work } from '../wave/wave.ts'
import type { Action } from './action.ts'
import { backendOf } from './backends.ts'
import { itemBrief, iterationBrief } from './brief.ts'
import { allowedPatterns, controlTopics } from './intake.ts'
import { endReason, spentBudget } from './limits.ts'
import type { Iteration, Loop } from './loop.ts'
import { selectHats } from './select.ts'
import type { Now, State, StopReason } from './state.ts'

/** How long the lines of an incomplete dispatch are waited for (contract/waves §6.2). */
const MISSING_LINES_MS = 500

/**
 * What is permitted now: pure, and the only place that decides. An empty answer means that only a new fact can change that.
 * Every action is recorded before it is done, so that asking again does not permit it twice.
 */
export function decide(state: State, now: Now): readonly Action[] {
  if (state.ended !== null) return []
  const ends = endings(state)
  if (ends !== null) return ends
  return [...stops(state), ...watchRuntime(state, now), ...steerWaves(state), ...steerLoop(state, now)]
}

/** The end of the run, once nothing is running that it must wait for; null: not yet. */
function endings(state: State): readonly Action[] | null {
  if (state.running.size > 0 || state.due.length > 0 || hasUnfiled(state)) return null
  const reason = state.stop?.how === 'now' ? state.stop.reason : endedByWaves(state)
  return reason === null ? null : [{ kind: 'end', reason }]
}

/** A stop or a spent budget that left items open; or, without a loop, the end of its one wave. */
function endedByWaves(state: State): StopReason | null {
  const pausing = state.loop?.phase.at === 'backing-off' || state.loop?.phase.at === 'cooling'
  if (pausing && state.stop !== null) return state.stop.reason
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

/** Why nothing further may start; running agents finish. */
function halted(state: State): StopReason | null {
  return spentBudget(state) ?? state.stop?.reason ?? null
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

function steerWaves(state: State): readonly Action[] {
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

/** The loop's own course: each phase says what it waits for (contract/loop §7). */
function steerLoop(state: State, now: Now): readonly Action[] {
  const { loop } = state
  if (loop === null) return []
  const { phase, current } = loop
  switch (phase.at) {
    case 'ready':
      return betweenIterations(state, loop)
    case 'begun':
      return current === null ? [] : [startIteration(state, loop, current)]
    case 'acting':
      return []
    case 'waving':
      return loop.continuations.flatMap((id) => continueChain(state, id))
    case 'reading':
      return phase.asked ? [] : [{ kind: 'read-events' }]
    case 'quoting':
      return phase.asked || current === null ? [] : [{ kind: 'append-text-events', iteration: current }]
    case 'awaiting-lines':
      return phase.asked ? [] : [phaseTimer(MISSING_LINES_MS)]
    case 'dispatching':
      return current === null ? [] : [takeUp(state, loop, current)]
    case 'backing-off':
      return phase.asked ? [] : waitForProvider(state, phase.ms, now)
    case 'closing':
      return phase.asked || current === null ? [] : [{ kind: 'close-iteration', iteration: current }]
    case 'cooling':
      return phase.asked ? [] : [phaseTimer(state.rules.eventLoop.cooldownDelaySeconds * 1000)]
    default:
      return unreachable(phase)
  }
}

function betweenIterations(state: State, loop: Loop): readonly Action[] {
  const reason = endReason(state)
  if (reason !== null) return [{ kind: 'end', reason }]
  const { hats, exhausted } = selectHats(state, loop)
  return [{ kind: 'begin-iteration', iteration: loop.iteration + 1, hats, exhausted, guidance: loop.unnoted }]
}

function startIteration(state: State, loop: Loop, iteration: Iteration): Action {
  return {
    kind: 'start-agent',
    n: state.totals.agentsStarted + 1,
    attempt: iteration.work.attempts + 1,
    work: iteration.work,
    brief: iterationBrief(state, loop, iteration),
    backend: iteration.work.hat,
    limitSeconds: null,
    inactivitySeconds: backendOf(state, iteration.work)?.inactivitySeconds ?? null,
  }
}

function takeUp(state: State, loop: Loop, iteration: Iteration): Action {
  const rules = { ...planRules(state), allowed: allowedPatterns(state, iteration.hats) }
  const resolution = resolveDispatches(loop.dispatches, rules)
  return { kind: 'resolve-dispatches', resolution }
}

/** Results for parallel hats become the next wave before any aggregator runs. */
function continueChain(state: State, after: WaveId): readonly Action[] {
  const wave = state.merged.get(after)
  if (wave === undefined) throw new Error(`wave ${after} was merged, but is not known`)
  const { plan, exhausted } = planStage(wave, planRules(state))
  return [{ kind: 'open-stage', after, plan, exhausted }]
}

function planRules(state: State): PlanRules {
  const { features } = state.rules
  return {
    topology: state.topology,
    control: controlTopics(state),
    maxWaveItems: features.maxWaveItems,
    maxConcurrency: features.maxConcurrency,
    activationsLeft: (hat) =>
      (state.topology.hat(hat)?.maxActivations ?? Infinity) - (state.activations.get(hat) ?? 0),
    allowed: null,
    isKnown: (id) => state.knownWaves.has(id),
  }
}

/** A wait that would pass the run's own time ends the run at once (contract/loop §8.1). */
function waitForProvider(state: State, ms: number, now: Now): readonly Action[] {
  const left = state.rules.eventLoop.maxRuntimeSeconds * 1000 - usedMs(state, now)
  return ms >= left ? [{ kind: 'end', reason: 'max_runtime' }] : [phaseTimer(ms)]
}

/** Time that counts for `max_runtime`. */
function usedMs(state: State, now: Now): number {
  return state.earlierMs + now.mono - state.beganMono
}

function phaseTimer(ms: number): Action {
  return { kind: 'set-timer', timer: { kind: 'phase' }, ms }
}

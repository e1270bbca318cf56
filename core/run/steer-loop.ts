import { unreachable } from '../result.ts'
import { planStage } from '../wave/chain.ts'
import { resolveDispatches } from '../wave/plan.ts'
import type { WaveId } from '../wave/wave.ts'
import type { Action } from './action.ts'
import { backendOf } from './backends.ts'
import { iterationBrief } from './brief.ts'
import { allowedPatterns } from './intake.ts'
import { endReason, usedMs } from './limits.ts'
import type { Iteration, Loop } from './loop.ts'
import { isTooSoon, wakeFor } from './pacing.ts'
import { planRules } from './plan-rules.ts'
import { selectHats } from './select.ts'
import type { Now, State } from './state.ts'

/** How long the lines of an incomplete dispatch are waited for (contract/waves §6.2). */
const MISSING_LINES_MS = 500

/** The loop's own course: each phase says what it waits for (contract/loop §7). */
export function steerLoop(state: State, now: Now): readonly Action[] {
  const { loop } = state
  if (loop === null) return []
  const { phase, current } = loop
  switch (phase.at) {
    case 'ready':
      return betweenIterations(state, loop)
    case 'begun':
      return current === null ? [] : startInTime(state, loop, current, now)
    case 'acting':
      return []
    case 'waving':
      // One at a time: each leaves fewer activations to the next.
      return loop.continuations.slice(0, 1).flatMap((id) => continueChain(state, id))
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

/** Not too soon after the last agent of the same backend. */
function startInTime(state: State, loop: Loop, iteration: Iteration, now: Now): readonly Action[] {
  const backend = backendOf(state, iteration.work)?.name ?? ''
  return isTooSoon(state, backend, now)
    ? wakeFor(state, backend, now)
    : [startIteration(state, loop, iteration)]
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

/** A wait that would pass the run's own time ends the run at once (contract/loop §8.1). */
function waitForProvider(state: State, ms: number, now: Now): readonly Action[] {
  const left = state.rules.eventLoop.maxRuntimeSeconds * 1000 - usedMs(state, now)
  return ms >= left ? [{ kind: 'end', reason: 'max_runtime' }] : [phaseTimer(ms)]
}

function phaseTimer(ms: number): Action {
  return { kind: 'set-timer', timer: { kind: 'phase' }, ms }
}

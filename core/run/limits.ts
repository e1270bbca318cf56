import type { Now, State, StopReason } from './state.ts'

/** A budget of the whole run that is used up, in the contract's order; null if none is. Also binds while a wave runs. */
export function spentBudget(state: State): StopReason | null {
  const { eventLoop, features } = state.rules
  const { totals } = state
  if (state.runtimeUp) return 'max_runtime'
  if (eventLoop.maxCostUsd !== undefined && totals.costUsd >= eventLoop.maxCostUsd) return 'max_cost'
  const tokens = totals.inputTokens + totals.outputTokens
  if (eventLoop.maxTokensTotal !== undefined && tokens >= eventLoop.maxTokensTotal) return 'max_tokens'
  if (totals.agentsStarted >= features.maxAgents) return 'max_agents'
  return null
}

/** Why the loop ends between two iterations, in the order of contract/loop §10; null: it goes on. */
export function endReason(state: State): StopReason | null {
  const loop = state.loop
  if (loop === null) return null
  const { eventLoop } = state.rules
  const { counters } = loop
  if (loop.cancelled) return 'cancelled'
  if (loop.completion !== null) return 'completed'
  if (loop.iterationsHere >= eventLoop.maxIterations) return 'max_iterations'
  const budget = spentBudget(state)
  if (budget !== null) return budget
  if (counters.failures >= eventLoop.maxConsecutiveFailures) return 'consecutive_failures'
  if (counters.validation >= 3) return 'validation_failure'
  if (counters.stale >= 3) return 'loop_stale'
  if (hasNoProgress(state)) return 'no_progress'
  return state.stop?.reason ?? null
}

function hasNoProgress(state: State): boolean {
  const loop = state.loop
  const hats = state.topology.hats.length
  if (loop === null) return false
  if (loop.counters.rejections >= 3) return true
  if (hats === 0) return false
  const { maxSilentIterations } = state.rules.eventLoop
  if (maxSilentIterations > 0 && loop.counters.silent >= maxSilentIterations) return true
  return loop.counters.defaults > hats
}

/** Why nothing further may start; running agents finish. */
export function halted(state: State): StopReason | null {
  return spentBudget(state) ?? state.stop?.reason ?? null
}

/** Time that counts for `max_runtime`. */
export function usedMs(state: State, now: Now): number {
  return state.earlierMs + now.mono - state.beganMono
}

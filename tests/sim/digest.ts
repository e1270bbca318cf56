import type { State } from '../../core/run/state.ts'

/** All of a state that its journal must give again: everything but what was merely asked for. */
export function digest(state: State): string {
  const { loop } = state
  return JSON.stringify({
    waves: [...state.waves.values(), ...state.merged.values()].map((wave) => ({
      id: wave.id,
      settled: wave.settled,
      deadlinePassed: wave.deadlinePassed,
      works: wave.works.map(({ id, status, attempts, agent, cost, outcome, accepted, linesRead }) => ({
        id,
        status,
        attempts,
        agent,
        cost,
        outcome,
        accepted,
        linesRead,
      })),
    })),
    known: [...state.knownWaves],
    totals: state.totals,
    activations: [...state.activations].sort(),
    exhausted: [...state.exhausted],
    ended: state.ended,
    stop: state.stop,
    throttle: [...state.throttle],
    starts: [...state.paces]
      .map(([backend, { notBefore }]) => [backend, notBefore])
      .filter(([, at]) => at !== 0),
    loop: loop && {
      iteration: loop.iteration,
      phase: loop.phase.at,
      inboxes: [...loop.inboxes],
      pending: loop.pending,
      seen: [...loop.seenTopics],
      guidance: loop.guidance,
      counters: loop.counters,
      held: loop.held,
      completion: loop.completion,
      cancelled: loop.cancelled,
      dispatches: loop.dispatches.map((one) => [one.id, [...one.items]]),
      continuations: loop.continuations,
      backlog: loop.backlog,
      offset: loop.readOffset,
    },
  })
}

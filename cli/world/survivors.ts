import type { State } from '../../core/run/state.ts'
import { endStrays } from './merge.ts'

/** Ends whatever agents of a run are still there, though nothing watches them any more. */
export async function endSurvivors(state: State): Promise<void> {
  const { id } = state.run
  const numbers = Array.from({ length: state.totals.agentsStarted }, (_, i) => i + 1)
  await endStrays(numbers.map((n) => `${id}:${n}`))
}

import type { State } from '../../core/run/state.ts'
import { endStrays } from './merge.ts'
import { privateFolders, removePrivateFolder } from './private-folder.ts'

/** Ends whatever agents of a run are still there, though nothing watches them any more, and removes what was theirs alone. */
export async function endSurvivors(state: State): Promise<void> {
  const { id, dir } = state.run
  const numbers = Array.from({ length: state.totals.agentsStarted }, (_, i) => i + 1)
  await endStrays(numbers.map((n) => `${id}:${n}`))
  removePrivateFolder(privateFolders(dir))
}

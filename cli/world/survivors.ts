import { bootId } from '../../core/agent/processes.ts'
import { endProcesses, findStrays, findTrees } from '../../core/agent/strays.ts'
import type { State } from '../../core/run/state.ts'
import { privateFolders, removePrivateFolder } from './private-folder.ts'

/**
 * Ends whatever agents of a run are still there, though nothing watches them any more, and removes what was theirs alone.
 * They are known by the marker that they carry, and those that had not ended by pid, start time and boot id.
 */
export async function endSurvivors(state: State): Promise<void> {
  const { id, dir } = state.run
  const markers = Array.from({ length: state.totals.agentsStarted }, (_, i) => `${id}:${i + 1}`)
  const agents = [...state.running.values()].flatMap(({ pid, process }) =>
    pid === null || process === null || process.bootId !== bootId()
      ? []
      : [{ pid, startTime: process.startTime }],
  )
  const [marked, known] = await Promise.all([
    markers.length > 0 ? findStrays(markers) : [],
    agents.length > 0 ? findTrees(agents) : [],
  ])
  await endProcesses([...marked, ...known])
  removePrivateFolder(privateFolders(dir))
}

import { unreachable } from '../../core/result.ts'
import type { Spared } from '../runs/retention.ts'
import type { OpenWave, RunSummary } from '../runs/summary.ts'
import { plural } from './rule.ts'
import { safeText } from './safe-text.ts'

/** Why a run stays that was to go by its age, and what to do about it. */
export function renderSpared(run: RunSummary, why: Spared): string {
  return safeText(`kept ${run.run_id}: ${reason(run, why)}`)
}

/** What goes with a run that still has results of open waves; null if there are none. */
export function unmergedNote(run: RunSummary): string | null {
  const waves = run.open_waves.filter((wave) => wave.unmerged > 0)
  return waves.length === 0 ? null : safeText(`${run.run_id}: ${waves.map(tellWave).join('; ')}`)
}

function reason(run: RunSummary, why: Spared): string {
  const { run_id: id } = run
  switch (why) {
    case 'running':
      return 'it is in progress'
    case 'damaged':
      return `its journal cannot be read (${run.problem}); \`ralph runs rm ${id}\` removes it`
    case 'unmerged': {
      const waves = run.open_waves.filter((wave) => wave.unmerged > 0).map(tellWave)
      const again = run.kind === 'wave' ? `ralph wave run --resume ${id}` : `ralph runs resume ${id}`
      return `${waves.join('; ')}; \`${again}\` finishes it, \`ralph runs rm ${id}\` removes it`
    }
    default:
      return unreachable(why)
  }
}

function tellWave({ wave_id, unmerged, total }: OpenWave): string {
  return `wave ${wave_id} is open: ${unmerged} of ${plural(total, 'item')} paid for and never handed on`
}

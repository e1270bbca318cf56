import type { ReadBlob } from '../blob.ts'
import { unreachable } from '../result.ts'
import type { Brief, Material } from './brief.ts'
import { renderItem } from './item.ts'
import { renderIteration } from './iteration.ts'
import { renderNudge } from './nudge.ts'
import { renderWorker } from './worker.ts'

/** The whole prompt for one agent. Pure: `read` gives the text of blobs, `material` what lies in files and settings. */
export function renderPrompt(brief: Brief, material: Material, read: ReadBlob): string {
  switch (brief.kind) {
    case 'iteration':
      return renderIteration(brief, material, read)
    case 'worker':
      return renderWorker(brief, material, read)
    case 'nudge':
      return renderNudge(brief, material)
    case 'item':
      return renderItem(brief, read)
    default:
      return unreachable(brief)
  }
}

import type { Material, NudgeBrief } from './brief.ts'
import { renderPublishing } from './publishing.ts'
import { paragraphs } from './text.ts'

/** What a worker is told that ended well and forgot its result. It still knows its item: nothing of it stands here. */
export function renderNudge(brief: NudgeBrief, material: Material): string {
  return paragraphs(
    'You have ended your turn without publishing a result, so nothing of your work is passed on. Finish what is still open of your item, publish the result as shown below, and end your turn.',
    renderPublishing(brief, material),
  )
}

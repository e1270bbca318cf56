import type { ReadBlob } from '../blob.ts'
import type { ItemBrief } from './brief.ts'

/** The prompt of an item of `ralph wave run`: the template with each `{}` replaced by the payload, and nothing of ours. */
export function renderItem(brief: ItemBrief, read: ReadBlob): string {
  const payload = read(brief.payload)
  if (brief.template === null) return payload
  return brief.template.includes('{}')
    ? brief.template.split('{}').join(payload)
    : `${brief.template}\n\n${payload}`
}

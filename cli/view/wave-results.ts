import { failureHeading, resultHeading } from '../../core/prompt/aggregate.ts'
import type { SettledItem } from '../wave-results.ts'

/** Each result under its heading, then the failures among them with their reasons; payloads as they are. */
export function renderResults(items: readonly SettledItem[]): string {
  return items.map(renderItem).join('\n')
}

function renderItem(item: SettledItem): string {
  const { index, hat, status, duration_ms: durationMs, events, reason } = item
  if (events.length === 0) {
    return `${failureHeading({ index, hat, status, durationMs })}\n${reason === null ? '' : `${reason}\n`}`
  }
  return events
    .map(
      ({ topic, payload }) =>
        `${resultHeading({ index, topic, hat, status, durationMs })}\n${payload.trimEnd()}\n`,
    )
    .join('\n')
}

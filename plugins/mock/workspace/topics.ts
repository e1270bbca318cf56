import { readFileSync } from 'node:fs'
import type { Topic } from '../../../core/topic.ts'

/** How often each topic stands in an events file, the start topic's row included. A missing file holds none. */
export function countTopics(path: string | undefined): ReadonlyMap<Topic, number> {
  const counts = new Map<Topic, number>()
  for (const line of path === undefined ? [] : linesOf(path)) {
    const topic = topicOf(line)
    if (topic !== null) counts.set(topic, (counts.get(topic) ?? 0) + 1)
  }
  return counts
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

function topicOf(line: string): Topic | null {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record !== 'object' || record === null || !('topic' in record)) return null
    return typeof record.topic === 'string' ? record.topic : null
  } catch {
    return null
  }
}

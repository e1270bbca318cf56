import { type ControlTopics, isControl } from '../control.ts'
import type { Hat } from '../hat.ts'
import { isConcrete, matchesAny, type Topic } from '../topic.ts'

/** Topic of the row that `ralph emit` leaves where it refused a worker's topic; its payload is that topic. */
export const TOPIC_REFUSED = 'wave.topic_refused'
/** Topic of the row that `ralph wave emit` leaves where it refused a worker's wave. */
export const NESTED_REFUSED = 'wave.nested_refused'

/** True if a worker of `hat` may give results on `topic` (contract/waves §12.1). A hat without `publishes` is not restricted. */
export function mayPublish(hat: Hat, control: ControlTopics, topic: Topic): boolean {
  if (isControl(control, topic)) return false
  return hat.publishes.length === 0 || matchesAny(hat.publishes, topic)
}

/**
 * The topic on which a worker's final message counts as its result if it emitted nothing (contract/waves §8.1):
 * the hat's default, else the one concrete topic that it publishes; null if there is no such topic.
 */
export function finalMessageTopic(hat: Hat, control: ControlTopics): Topic | null {
  if (hat.defaultPublishes !== undefined) {
    return isControl(control, hat.defaultPublishes) ? null : hat.defaultPublishes
  }
  const topics = hat.publishes.filter((topic) => isConcrete(topic) && !isControl(control, topic))
  return topics.length === 1 ? (topics[0] ?? null) : null
}

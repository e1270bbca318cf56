import { matches, type Topic } from './topic.ts'

/** Topics by which an agent acts on the loop itself; never delivered to a hat, never merged from a worker. */
export interface ControlTopics {
  readonly completion: Topic
  /** Absent: off. */
  readonly cancellation?: Topic
}

/** Any `human.` topic, of whatever depth. */
export function isHuman(topic: Topic): boolean {
  return topic.startsWith('human.')
}

export function isControl(control: ControlTopics, topic: Topic): boolean {
  return topic === control.completion || topic === control.cancellation || isHuman(topic)
}

/** Control topics as patterns, for rules files. `human.` topics are control at every depth. */
export function controlPatterns(control: ControlTopics): readonly string[] {
  return [
    control.completion,
    ...(control.cancellation === undefined ? [] : [control.cancellation]),
    'human.*',
  ]
}

/** True if `pattern` could name a control topic only. */
export function isControlPattern(control: ControlTopics, pattern: string): boolean {
  return isControl(control, pattern) || matches('human.*', pattern)
}

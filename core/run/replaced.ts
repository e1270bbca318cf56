import { isControl } from '../control.ts'
import type { Event } from '../event.ts'
import { isDispatch } from '../wave/detect.ts'
import { controlTopics } from './control-topics.ts'
import { warn } from './inbox.ts'
import type { Loop } from './loop.ts'
import type { State } from './state.ts'
import { agentOf } from './work.ts'

/**
 * An iteration that was cut and repeated hands its work out once: where the repetition dispatches, what the cut try had
 * dispatched is dropped, aloud. All else of that try stays.
 */
export function withoutReplaced(state: State, loop: Loop, events: readonly Event[]): readonly Event[] {
  const { cutFrom } = loop
  loop.cutFrom = null
  if (cutFrom === null) return events
  const isCut = (event: Event): boolean => (agentOf(state, event) ?? 0) >= cutFrom
  const mine = events.slice(loop.inherited)
  if (!mine.some((event) => fansOut(state, event))) return events
  const replaced = new Set(
    events.slice(0, loop.inherited).filter((event) => isCut(event) && fansOut(state, event)),
  )
  if (replaced.size === 0) return events
  const topics = [...new Set([...replaced].map(({ topic }) => topic))].join(', ')
  warn(
    state,
    'wave_replaced',
    `${replaced.size} items (${topics}) of an iteration that was cut do not start: its repetition has handed the work out again`,
  )
  return events.filter((event) => !replaced.has(event))
}

/** True for an item of a wave, explicit or inferred. */
function fansOut(state: State, event: Event): boolean {
  if (isControl(controlTopics(state), event.topic)) return false
  return (
    isDispatch(event, (id) => state.knownWaves.has(id)) ||
    (event.wave === undefined && (state.topology.receiver(event.topic)?.concurrency ?? 1) > 1)
  )
}

import type { Settings } from '../core/config/settings.ts'
import { nearest } from '../core/nearest.ts'
import { isConcrete } from '../core/topic.ts'
import { createTopology } from '../core/topology.ts'

/** What is wrong with the event that starts a run: no hat receives it, though there are some. Null: nothing. */
export function startingEventProblem({ hats, eventLoop }: Settings): Problem | null {
  const start = eventLoop.startingEvent
  if (start === undefined || hats.length === 0 || createTopology(hats).receiver(start) !== null) return null
  const guess = nearest(start, hats.flatMap((hat) => hat.triggers).filter(isConcrete))
  return {
    text: `no hat receives the starting event ${start}`,
    ...(guess === null ? {} : { hint: `did you mean ${guess}?` }),
  }
}

export interface Problem {
  readonly text: string
  readonly hint?: string
}

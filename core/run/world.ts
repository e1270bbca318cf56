import type { ReadBlob } from '../blob.ts'
import type { Report } from '../run-event.ts'
import type { Action } from './action.ts'
import type { FactBody } from './fact.ts'
import type { Now, State } from './state.ts'

/** The one thing that the loop knows of the outside. */
export interface World {
  readonly clock: { now(): Now }
  readonly inbox: Inbox
  /** Starts an action; never waits and never throws: what comes of it arrives in the inbox. */
  start(action: Action, state: State): void
  readonly report: Report
  /** The whole text of a blob of this run. */
  readonly read: ReadBlob
}

export interface Inbox {
  /** All that has arrived, in order; waits for the first. */
  drain(): Promise<readonly FactBody[]>
}

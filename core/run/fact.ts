import type { Blob } from '../blob.ts'
import type { BadLine, Event } from '../event.ts'
import type { HatId } from '../hat.ts'
import type { WorkspaceChange } from '../run-event.ts'
import type { WavePlan } from '../wave/plan.ts'
import type { AgentEnd, StopCause, StopReason, WaveId, WorkId } from './state.ts'

/**
 * Something that happened. The journal holds the durable ones in order; folding them gives the state again.
 * `at` is wall clock, `mono` the monotonic clock of the invocation that recorded it, both in milliseconds.
 */
export type Fact = FactBody & { readonly at: number; readonly mono: number }

export type FactBody =
  /** First fact of a loop's invocation. */
  | {
      readonly type: 'loop.opened'
      readonly objective: Blob
      readonly topic: string
      readonly continued: boolean
    }
  | {
      readonly type: 'iteration.begun'
      readonly iteration: number
      readonly hats: readonly HatId[]
      readonly exhausted: readonly HatId[]
    }
  | { readonly type: 'agent.intended'; readonly n: number; readonly work: WorkId; readonly attempt: number }
  | {
      readonly type: 'agent.started'
      readonly n: number
      readonly pid: number
      readonly startTime: string
      readonly bootId: string
    }
  | { readonly type: 'agent.stopping'; readonly n: number; readonly cause: StopCause }
  | { readonly type: 'agent.lapsed'; readonly n: number; readonly which: Lapse }
  | { readonly type: 'agent.ended'; readonly n: number; readonly end: AgentEnd }
  /** Lines of a worker's own file, as the follower saw them. */
  | {
      readonly type: 'worker.read'
      readonly n: number
      readonly events: readonly Event[]
      readonly bad: readonly BadLine[]
    }
  /** Lines of the main events file up to `offset`. */
  | {
      readonly type: 'events.read'
      readonly events: readonly Event[]
      readonly bad: readonly BadLine[]
      readonly offset: number
    }
  | { readonly type: 'wave.opened'; readonly plan: WavePlan }
  | { readonly type: 'wave.merged'; readonly wave: WaveId; readonly change: WorkspaceChange | null }
  | { readonly type: 'iteration.closed'; readonly iteration: number }
  | { readonly type: 'timer.fired'; readonly timer: TimerId }
  | {
      readonly type: 'stop.asked'
      readonly how: 'drain' | 'now'
      readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP'
    }
  | { readonly type: 'workspace.gone' }
  | { readonly type: 'io.failed'; readonly message: string }
  | { readonly type: 'run.ended'; readonly reason: StopReason }
  /** What decide has asked the shell for, where asking twice would do harm but forgetting does not. Not journalled. */
  | { readonly type: 'asked'; readonly what: Asked }

/** Which of an agent's own clocks ran out. */
export type Lapse = 'limit' | 'inactivity' | 'lingering' | 'completion'

export type Asked =
  | { readonly kind: 'read' }
  | { readonly kind: 'close-iteration' }
  | { readonly kind: 'cool' }
  | { readonly kind: 'merge'; readonly wave: WaveId }
  | { readonly kind: 'file'; readonly wave: WaveId }
  | { readonly kind: 'deadline'; readonly wave: WaveId }
  | { readonly kind: 'retry'; readonly wave: WaveId }

export type TimerId =
  | { readonly kind: 'deadline'; readonly wave: WaveId }
  | { readonly kind: 'retry'; readonly work: WorkId }
  | { readonly kind: 'cooldown' }
  | { readonly kind: 'runtime' }

/** Facts that a resumed run needs. */
export function isDurable(fact: FactBody): boolean {
  return fact.type !== 'asked' && fact.type !== 'agent.lapsed'
}

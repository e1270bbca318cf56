import type { AgentEnd, Lapse, StopCause } from '../agent/end.ts'
import type { Usage } from '../backend/contract.ts'
import type { Blob } from '../blob.ts'
import type { BadLine, Event } from '../event.ts'
import type { Hat, HatId } from '../hat.ts'
import type { WorkspaceChange } from '../run-event.ts'
import type { Resolution, WavePlan } from '../wave/plan.ts'
import type { Adoption, Cost, Outcome, Player, WaveId, WorkId } from '../wave/wave.ts'
import type { Rules, StopReason } from './state.ts'

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
  /** First fact of an invocation that goes on with an earlier run. */
  | {
      readonly type: 'loop.resumed'
      /** Replaces the kept one. */
      readonly objective: Blob | null
      /** Items whose outcome is on disk already. */
      readonly filed: readonly WorkId[]
      /** `--total-limits`: what earlier invocations used counts too. */
      readonly totalLimits: boolean
      /** Results on disk of waves that the journal, whose end a power cut has taken, does not know; by key. Absent: none. */
      readonly found?: readonly (readonly [key: string, adoption: Adoption])[]
      /** Those waves. Absent: none. */
      readonly lost?: readonly WaveId[]
      /** The config as it was read anew: holds from here on, and what was journalled before is never judged by it. */
      readonly config?: { readonly rules: Rules; readonly hats: readonly Hat[] }
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
  /** Lines of the main events file up to `offset`, as they were seen. `final`: all that the iteration's agent wrote is in. */
  | {
      readonly type: 'events.read'
      readonly events: readonly Event[]
      readonly bad: readonly BadLine[]
      readonly offset: number
      readonly final: boolean
    }
  | { readonly type: 'dispatches.resolved'; readonly resolution: Resolution }
  /** The results of a merged wave became the next one. */
  | {
      readonly type: 'stage.opened'
      readonly after: WaveId
      readonly plan: WavePlan
      readonly exhausted: readonly HatId[]
    }
  /** The outcome of an item was on disk, and the journal, whose end a power cut has taken, did not know it. */
  | {
      readonly type: 'item.recovered'
      readonly work: WorkId
      readonly outcome: Outcome
      readonly attempts: number
      /** Of all attempts. */
      readonly cost: Cost
      readonly usage: Usage | null
      /** Who worked on it. Absent: unknown. */
      readonly player?: Player | null
    }
  /** A person has a part of a merged wave run again: a new wave, whose other items keep their outcomes. */
  | {
      readonly type: 'wave.redriven'
      readonly of: WaveId
      readonly plan: WavePlan
      readonly exhausted: readonly HatId[]
      /** Results of the stages that followed it, by key: what asks the same again is not paid again. */
      readonly later: readonly (readonly [key: string, adoption: Adoption])[]
    }
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
  /** `ralph wave run`: the one wave of a state without a loop. */
  | { readonly type: 'wave.opened'; readonly plan: WavePlan }
  /** What decide has asked the shell for, where asking twice would do harm but forgetting does not. Not journalled. */
  | { readonly type: 'asked'; readonly what: Asked }

/** Asked for by an action that answers with a fact, or with none. */
export type Asked =
  | { readonly kind: 'phase' }
  | { readonly kind: 'merge'; readonly wave: WaveId }
  | { readonly kind: 'file'; readonly wave: WaveId }
  | { readonly kind: 'deadline'; readonly wave: WaveId }
  | { readonly kind: 'retry'; readonly wave: WaveId }
  | { readonly kind: 'runtime' }
  | { readonly kind: 'start'; readonly backend: string; readonly at: number }

export type TimerId =
  | { readonly kind: 'deadline'; readonly wave: WaveId }
  | { readonly kind: 'retry'; readonly work: WorkId }
  /** The pause that the loop's phase asks for. */
  | { readonly kind: 'phase' }
  /** `max_runtime` is up. */
  | { readonly kind: 'runtime' }
  /** Agents of a backend may start again, from `at` on (mono). */
  | { readonly kind: 'start'; readonly backend: string; readonly at: number }

/** Facts that a resumed run needs. */
export function isDurable(fact: FactBody): boolean {
  if (fact.type === 'timer.fired') return fact.timer.kind !== 'start'
  return fact.type !== 'asked' && fact.type !== 'agent.lapsed'
}

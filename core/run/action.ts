import type { StopCause } from '../agent/end.ts'
import type { Blob } from '../blob.ts'
import type { HatId } from '../hat.ts'
import type { Brief } from '../prompt/brief.ts'
import type { Resolution, WavePlan } from '../wave/plan.ts'
import type { Wave, WaveId, Work } from '../wave/wave.ts'
import type { TimerId } from './fact.ts'
import type { Iteration } from './loop.ts'
import type { StopReason } from './state.ts'

/** Something that decide permits now. The shell starts it and never waits; the answer is a fact. */
export type Action =
  /** Takes the pending letters into a new iteration, and writes new guidance into its scratchpad. No answer. */
  | {
      readonly kind: 'begin-iteration'
      readonly iteration: number
      readonly hats: readonly HatId[]
      readonly exhausted: readonly HatId[]
      /** Goes into the scratchpad, once. */
      readonly guidance: readonly Blob[]
    }
  /** Answer: agent.started, then agent.ended. */
  | {
      readonly kind: 'start-agent'
      readonly n: number
      readonly attempt: number
      readonly work: Work
      readonly brief: Brief
      /** Key of `Rules.backends`. */
      readonly backend: HatId
      /** Wall clock of the attempt; null: none. */
      readonly limitSeconds: number | null
      /** Without a sign of life; null: none (workers). */
      readonly inactivitySeconds: number | null
    }
  /** Answer: agent.ended. */
  | { readonly kind: 'stop-agent'; readonly n: number; readonly cause: StopCause; readonly graceMs?: number }
  /** Reads the main events file to its end; its writer has ended, so an unfinished last line is complete. Answer: events.read, final. */
  | { readonly kind: 'read-events' }
  /** Appends events found in an agent's text to the main events file, then reads it. Answer: events.read, final. */
  | { readonly kind: 'append-text-events'; readonly iteration: Iteration }
  /** Takes dispatches up: waves, ordinary events, refusals. The shell notes the state of the workspace. No answer. */
  | { readonly kind: 'resolve-dispatches'; readonly resolution: Resolution }
  /** Takes the results of a merged wave up as the next one. No answer. */
  | {
      readonly kind: 'open-stage'
      readonly after: WaveId
      readonly plan: WavePlan
      readonly exhausted: readonly HatId[]
    }
  /** Keeps outcome and results of settled items on disk. No answer. */
  | { readonly kind: 'file-outcomes'; readonly wave: Wave; readonly works: readonly Work[] }
  /** One append to the main file, then the workers' files and left-over processes go. Answer: wave.merged or io.failed. */
  | { readonly kind: 'merge-wave'; readonly wave: Wave }
  /** Writes the summary row. Answer: iteration.closed. */
  | { readonly kind: 'close-iteration'; readonly iteration: Iteration }
  /** Answer: timer.fired. */
  | { readonly kind: 'set-timer'; readonly timer: TimerId; readonly ms: number }
  /** The last action of a run. */
  | { readonly kind: 'end'; readonly reason: StopReason }

import type { AgentEnd } from '../agent/end.ts'
import type { Blob } from '../blob.ts'
import type { BadLine, Event } from '../event.ts'
import type { HatId } from '../hat.ts'
import type { Topic } from '../topic.ts'
import type { Dispatch, WaveId, Work } from '../wave/wave.ts'

export interface Loop {
  objective: Blob
  /** Iterations begun in the whole run, and in this invocation. */
  iteration: number
  iterationsHere: number
  phase: Phase
  /** Inboxes by hat; `''` is the coordinator. */
  readonly inboxes: Map<HatId, Letter[]>
  /** Letters in all inboxes together. */
  pending: number
  /** Number of the next letter: letters are ordered by arrival over all inboxes. */
  nextLetter: number
  /** The iteration at work, or the last one. */
  current: Iteration | null
  readonly seenTopics: Set<Topic>
  /** Unacknowledged guidance. */
  guidance: Blob[]
  /** Guidance that stands in no scratchpad yet. */
  unnoted: Blob[]
  /** `human.*` events for the next prompt. */
  humanNotes: Event[]
  counters: Counters
  /** Reason of the last iteration's failure, for the next prompt. */
  lastFailure: string | null
  /** A completion that waits until a wave's results are consumed. */
  held: Completion | null
  completion: Completion | null
  cancelled: boolean
  /** Dispatches read but not yet taken up. */
  dispatches: Dispatch[]
  /** Lines of the main file that were read and not yet handled. */
  backlog: Event[]
  badBacklog: BadLine[]
  /** Lines at the head of the backlog that an iteration of an earlier invocation wrote: they speak for no other one. */
  inherited: number
  /** Agents from this number on belong to an iteration that was cut and is repeated. Null: none was. */
  cutFrom: number | null
  /** Merged waves whose results become the next stage of a chain. */
  continuations: WaveId[]
  /** Waves inferred so far: numbers their ids. */
  inferred: number
  /** Byte offset in the main events file up to which all is journalled. */
  readOffset: number
}

/** Where the loop stands. Each value names what makes it go on; `asked`: decide has asked the shell for it. */
export type Phase =
  /** Nothing is running: end, or begin an iteration. */
  | { readonly at: 'ready' }
  /** An iteration was begun: its agent is to be started. */
  | { readonly at: 'begun' }
  /** The iteration's agent runs. */
  | { readonly at: 'acting' }
  /** The agent has ended: what it wrote is to be read to the end. */
  | { readonly at: 'reading'; readonly asked: boolean }
  /** It emitted nothing, but its text holds events: they are to be appended and read. */
  | { readonly at: 'quoting'; readonly asked: boolean }
  /** A dispatch lacks an index: the file is read again once, after a pause. */
  | { readonly at: 'awaiting-lines'; readonly asked: boolean }
  /** Dispatches are to be taken up. */
  | { readonly at: 'dispatching' }
  /** Waves are open. */
  | { readonly at: 'waving' }
  /** The provider turned the agent away: a pause, then the same work again. */
  | { readonly at: 'backing-off'; readonly asked: boolean; readonly ms: number }
  /** The iteration's summary is to be written. */
  | { readonly at: 'closing'; readonly asked: boolean }
  /** A pause between iterations. */
  | { readonly at: 'cooling'; readonly asked: boolean }

/** What lies in an inbox. */
export type Letter =
  | {
      readonly n: number
      readonly kind: 'event'
      readonly event: Event
      readonly from: 'agent' | 'loop'
      readonly kickoff: boolean
    }
  | { readonly n: number; readonly kind: 'wave'; readonly wave: WaveId }

export interface Iteration {
  readonly number: number
  readonly work: Work
  /** Active hats, first one leading; empty for the coordinator. */
  readonly hats: readonly HatId[]
  /** What the prompt shows, in order of arrival. */
  readonly letters: readonly Letter[]
  /** `human.*` events, shown and never routed. */
  readonly notes: readonly Event[]
  /** All that was taken from inboxes, with its inbox: given back if the iteration fails. */
  readonly taken: readonly { readonly hat: HatId; readonly letter: Letter }[]
  readonly startedAt: number
  readonly startedMono: number
  end: AgentEnd | null
  /** Accepted events of its agent, dispatch lines included. */
  accepted: number
  /** Plain events delivered from it, for staleness. */
  readonly plain: string[]
  badLines: number
  goodLines: number
  /** It opened a wave. */
  dispatched: boolean
  /** Events in its text were appended. */
  quoted: boolean
  /** A dispatch was incomplete, and its missing lines were waited for. */
  waitedForLines: boolean
  completionAsked: Completion | null
}

export interface Completion {
  readonly by: 'event' | 'text'
  /** Payload of the event; of a text completion the final message without the promise line. */
  readonly payload: Blob
}

export interface Counters {
  failures: number
  silent: number
  defaults: number
  validation: number
  stale: number
  lastPlain: string | null
  rejections: number
  lastRejection: string | null
  /** Refusals by the provider in a row. */
  backoffs: number
}

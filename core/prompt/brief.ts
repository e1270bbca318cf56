import type { Blob } from '../blob.ts'
import type { TopicNote } from '../config/settings.ts'
import type { ControlTopics } from '../control.ts'
import type { Event } from '../event.ts'
import type { Hat } from '../hat.ts'
import type { Iteration } from '../run/loop.ts'
import type { Topology } from '../topology.ts'
import type { Nudge, Wave } from '../wave/wave.ts'

/** What decide hands to the shell for a prompt. The shell adds the material that lies in files and renders it. */
export type Brief = IterationBrief | WorkerBrief | NudgeBrief | ItemBrief

/** The prompt of an ordinary iteration (contract/loop §13). */
export interface IterationBrief {
  readonly kind: 'iteration'
  readonly iteration: Iteration
  /** Active hats, first one leading; empty: the coordinator. */
  readonly hats: readonly Hat[]
  readonly topology: Topology
  readonly objective: Blob
  readonly completionPromise: string
  /** Pending events and finished waves, in order of arrival. */
  readonly pending: readonly Pending[]
  /** Unacknowledged guidance. */
  readonly guidance: readonly Blob[]
  /** Why the last iteration failed, or null. */
  readonly lastFailure: string | null
}

export type Pending =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'wave'; readonly wave: Wave }

/** The prompt of a wave worker (contract/waves §7.1). */
export interface WorkerBrief {
  readonly kind: 'worker'
  readonly hat: Hat
  readonly wave: string
  /** From 0. */
  readonly index: number
  readonly total: number
  readonly timeoutSeconds: number
  readonly topic: string
  readonly payload: Blob
  /** True with items for several hats: the topic is shown. */
  readonly scatter: boolean
}

/** The further prompt to a worker that ended well without a result, in the same conversation. */
export interface NudgeBrief
  extends Pick<WorkerBrief, 'hat' | 'wave' | 'index' | 'total' | 'topic' | 'payload'> {
  readonly kind: 'nudge'
  readonly resume: Nudge['resume']
}

/** The prompt of an item of `ralph wave run` (contract/waves §5.4). */
export interface ItemBrief {
  readonly kind: 'item'
  readonly template: string | null
  readonly wave: string
  readonly index: number
  readonly total: number
  readonly payload: Blob
}

/** What a prompt needs from files and settings. */
export interface Material {
  /** Null: disabled. An empty text: nothing was written yet. */
  readonly scratchpad: { readonly path: string; readonly text: string } | null
  /** `.ralph/agent/*.md` other than the scratchpad, relative paths. */
  readonly notes: readonly string[]
  readonly specsDir: string
  readonly guardrails: readonly string[]
  readonly guardrailsAreSet: boolean
  readonly topicNotes: Readonly<Record<string, TopicNote>>
  /** The backend that gets the prompt. */
  readonly backend: {
    readonly output: 'text' | 'stream'
    readonly heredoc: boolean
    /** What the program's shell tool does not do, as lines of advice. */
    readonly advice?: readonly string[]
    /** Restricted access: the folder for texts that are handed over. The agent can remove nothing there. */
    readonly outbox?: string
  }
  readonly control: ControlTopics
  /** Path of the whole n-th (from 1) result of a wave's item, for results that are shown cut. */
  readonly resultPath: (wave: string, index: number, n: number) => string
}

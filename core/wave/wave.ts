import type { FailureClass, Resume, Usage } from '../backend/contract.ts'
import type { Blob } from '../blob.ts'
import type { BadLine, Event } from '../event.ts'
import type { Hat, HatId } from '../hat.ts'
import type { WorkspaceChange } from '../run-event.ts'
import type { Topic } from '../topic.ts'
import type { Chain } from './chain.ts'
import type { WavePlan } from './plan.ts'

export type WaveId = string
/** `<iteration>` for the loop's own work, `<wave-id>/<index>` for an item. */
export type WorkId = string

/** One thing for one agent to do: an iteration of the loop, or an item of a wave. */
export interface Work {
  readonly id: WorkId
  readonly wave: WaveId | null
  /** Position in the wave; 0 for an iteration. */
  readonly index: number
  readonly hat: HatId
  readonly topic: Topic
  readonly payload: Blob
  status: 'queued' | 'running' | 'waiting' | 'settled'
  /** Attempts begun. */
  attempts: number
  /** Agent number of the running or last attempt; 0 before the first. */
  agent: number
  /** Duration of all attempts and the waits between them. */
  startedMono: number | null
  cost: Cost
  usage: Usage | null
  /** Accepted events of the current attempt. */
  accepted: Event[]
  /** What guardrails refused: topics, and nested waves. */
  refused: string[]
  nestedRefused: number
  bad: BadLine[]
  /** Lines of the current attempt's file that were read, bad ones included. */
  linesRead: number
  /** Set once the worker is to be asked, or was asked, for a result that it forgot. */
  nudge: Nudge | null
  outcome: Outcome | null
  /** Who did its last attempt; null before the first. */
  player: Player | null
  /** The outcome that an earlier wave has paid for: then the item does not run. */
  readonly adopted: Adoption | null
}

/** The program that plays a hat, as far as its results depend on it: never a place or a command line. */
export interface Player {
  readonly backend: string
  readonly model: string | null
}

/** Names an item for good. */
export interface WorkAddress {
  readonly run: string
  readonly wave: WaveId
  readonly index: number
}

/** An outcome that an earlier wave has paid for. */
export interface Adoption {
  readonly from: WorkAddress
  readonly outcome: Outcome
  readonly attempts: number
  /** Counted in the totals of the run that paid it, and in no other. */
  readonly cost: Cost
  readonly usage: Usage | null
  readonly player: Player | null
  /** Digest of the instructions that its worker had. */
  readonly instructions: string
}

/** A worker that ended well without a result is asked once more, in the same conversation. */
export interface Nudge {
  readonly resume: Resume
  /** What the item comes to if that brings no result either. */
  readonly before: Outcome
}

export type Cost =
  | { readonly usd: number; readonly source: 'reported' | 'derived' }
  | { readonly unknown: true }

/** Why a work ended. */
export type Cause =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'agent'; readonly class: FailureClass; readonly message: string }
  | { readonly kind: 'timeout'; readonly which: 'worker' | 'wave' | 'inactivity'; readonly seconds: number }
  | { readonly kind: 'lingering' }
  | { readonly kind: 'never-started'; readonly why: 'deadline' | 'exhausted' | 'scope_violation' | 'halted' }
  | { readonly kind: 'spawn'; readonly message: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stopped'; readonly by: string }

export type Status =
  | 'ok'
  | 'partial'
  | 'empty'
  | 'failed'
  | 'timeout'
  | 'spawn_failed'
  | 'scope_violation'
  | 'exhausted'
  | 'missing'
  | 'cancelled'

/** How one item ended. There is always exactly one. */
export interface Outcome {
  readonly status: Status
  /** `result`: counts as received. `withdrawn`: runs again on resume. */
  readonly class: 'result' | 'failure' | 'withdrawn'
  readonly cause: Cause
  /** For people: begins where the status ends, e.g. `exit code 7: boom`; null for a plain success. */
  readonly reason: string | null
  readonly events: readonly Event[]
  /** True if the events are the agent's final message. */
  readonly fromFinalMessage: boolean
  readonly durationMs: number
  readonly timeoutSeconds?: number
  /** Remarks beside the status: refused topics, nested waves, bad lines, left-over processes. */
  readonly remarks: readonly string[]
}

/** All dispatch lines of one read with one id. */
export interface Dispatch {
  readonly id: WaveId
  readonly inferred: boolean
  /** By index. */
  readonly items: Map<number, Event>
  /** The largest total that a line named. */
  total: number
}

export interface Wave {
  readonly id: WaveId
  readonly inferred: boolean
  /** Snapshot of the worker hats: a resumed wave does not depend on an edited config. */
  readonly hats: Readonly<Record<HatId, Hat>>
  /** Hats that consume the results, in config order. */
  readonly aggregators: readonly HatId[]
  readonly total: number
  /** By index; missing items included. */
  readonly works: readonly Work[]
  readonly byIndex: ReadonlyMap<number, Work>
  /** Queued items by hat, in index order, read from `head`. */
  readonly queues: Map<HatId, { readonly items: Work[]; head: number }>
  /** Workers of the hat that run now. */
  readonly active: Map<HatId, number>
  queued: number
  runningCount: number
  /** Items between two attempts. */
  waiting: number
  settled: number
  readonly timeouts: Readonly<Record<HatId, number>>
  /** Null: no deadline (waves from the shell). */
  readonly deadlineSeconds: number | null
  readonly shell: WavePlan['shell']
  readonly redriveOf: WaveId | null
  readonly chain: Chain
  readonly openedAt: number
  openedMono: number
  deadlinePassed: boolean
  deadlineArmed: boolean
  /** `merging`: asked for. */
  finish: 'open' | 'merging' | 'merged'
  durationMs: number
  change: WorkspaceChange | null
  /** Settled items whose outcome is not on disk yet. */
  unfiled: Work[]
  /** Retries whose timer is to be set. */
  retries: { readonly work: Work; readonly ms: number }[]
  /** How the last attempt of an item ended that waits for another, by index: its outcome if the deadline passes first. */
  readonly lastFailures: Map<number, Outcome>
  /** Items that failed in an earlier stage of the chain. */
  readonly carried: Set<number>
  /** Results that became items of the next stage of the chain. */
  readonly passedOn: Set<Event>
}

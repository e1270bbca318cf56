import type { FailureClass, Usage } from '../backend/contract.ts'
import type { Blob } from '../blob.ts'
import type { EventLoopSettings, FeatureSettings, Price } from '../config/settings.ts'
import type { BadLine, Event } from '../event.ts'
import type { Hat, HatId } from '../hat.ts'
import type { CostSource, WorkspaceChange } from '../run-event.ts'
import type { Topic } from '../topic.ts'
import type { Topology } from '../topology.ts'
import type { Chain } from '../wave/chain.ts'
import type { WavePlan } from '../wave/plan.ts'

export type WaveId = string
/** `<iteration>` for the loop's own work, `<wave-id>/<index>` for an item. */
export type WorkId = string

/** The two clocks: `wall` for people and files, `mono` for deadlines. Milliseconds. */
export interface Now {
  readonly wall: number
  readonly mono: number
}

/**
 * Everything a run knows. Owned by the fold: `absorb` alone changes it, in place; everyone else reads.
 * Collections that grow with a wave are queues and counters, so that a fact costs the same whatever is queued.
 */
export interface State {
  readonly run: RunInfo
  readonly rules: Rules
  readonly topology: Topology
  /** Null in `ralph wave run`: one wave and no loop. */
  readonly loop: Loop | null
  /** Waves that are not merged yet, in order of their opening. */
  readonly waves: Map<WaveId, Wave>
  /** Waves that this run has known, for late lines. */
  readonly knownWaves: Set<WaveId>
  /** Merged waves whose results still wait in an inbox, or stand in the current iteration's prompt. */
  readonly merged: Map<WaveId, Wave>
  /** Agents that were started and have not ended, by number. */
  readonly running: Map<number, Running>
  /** Items of open waves by the numbers of their agents, ended ones included: a late line finds its item. */
  readonly workers: Map<number, Work>
  /** Numbers of all agents that were workers. */
  readonly workerAgents: Set<number>
  /** Agents that are to be ended, until decide has asked for it. */
  due: { readonly n: number; readonly cause: StopCause }[]
  readonly totals: Totals
  /** Activations by hat. */
  readonly activations: Map<HatId, number>
  /** Hats of which `<hat>.exhausted` was published. */
  readonly exhausted: Set<HatId>
  /** Milliseconds that earlier invocations count for `max_runtime` (`--total-limits`). */
  earlierMs: number
  /** When this invocation began, on its monotonic clock. */
  beganMono: number
  /** Milliseconds that all invocations before this one took. */
  pastMs: number
  /** Monotonic time of the last fact. */
  lastMono: number
  /** The timer of `max_runtime` was asked for, and has fired. */
  runtimeArmed: boolean
  runtimeUp: boolean
  /** First cause wins. */
  stop: Stop | null
  ended: StopReason | null
  /** What the last fact brought about, for observers. */
  news: News[]
}

/** Something that a fact brought about and that no other part of the state shows. */
export type News =
  | { readonly kind: 'warning'; readonly code: string; readonly text: string }
  | { readonly kind: 'posted'; readonly hat: HatId; readonly letter: Letter }
  | {
      readonly kind: 'retry'
      readonly wave: WaveId | null
      readonly index: number
      readonly class: string
      readonly ms: number
      /** The attempt that comes, from 2. */
      readonly attempt: number
      readonly maxAttempts: number
      readonly payload: Blob
    }

export interface RunInfo {
  readonly id: string
  readonly workspace: string
  /** Absolute folder of the run in the state folder. */
  readonly dir: string
  /** Absolute path of the main events file; empty in `ralph wave run`. */
  readonly eventsFile: string
  readonly pid: number
  /** Wall clock of this invocation's start. */
  readonly startedAt: number
  /** Mono clock of this invocation's start. */
  readonly startedMono: number
}

/** The part of the settings that the fold reads. */
export interface Rules {
  readonly eventLoop: EventLoopSettings
  readonly features: FeatureSettings
  /** What the fold must know of the backend that plays a hat; key `''` is the global one (coordinator). */
  readonly backends: Readonly<Record<HatId, BackendFacts>>
}

export interface BackendFacts {
  readonly name: string
  readonly output: 'text' | 'stream'
  readonly contextWindow: number
  readonly price?: Price
  /** Inactivity limit of ordinary iterations. */
  readonly inactivitySeconds: number
}

export interface Totals {
  agentsStarted: number
  costUsd: number
  costSource: CostSource
  inputTokens: number
  outputTokens: number
  /** Agents that reported no cost, or no tokens: the totals are then a lower bound. */
  unknownCosts: number
}

// ---------------------------------------------------------------- the loop

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

// ---------------------------------------------------------------- works

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
  outcome: Outcome | null
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

/** How a process of an agent ended, as its supervisor reports it. */
export interface AgentEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The operating system's error, if the program could not be started. */
  readonly spawnError: string | null
  /** Why we ended it, if we did. First cause wins. */
  readonly stoppedFor: StopCause | null
  /** Null: judged ok. */
  readonly failure: {
    readonly class: FailureClass
    readonly message: string
    readonly retryAfterMs?: number
  } | null
  readonly usage: Usage | null
  readonly costUsd: number | null
  readonly turns: number | null
  readonly finalMessage: Blob
  /** `<event>` blocks of the final message of a text backend. */
  readonly textEvents: readonly Event[]
  /** Last non-blank line of the final message, `<event>` blocks removed. */
  readonly lastLine: string
  readonly durationMs: number
  /** Last lines of stderr, else of stdout. */
  readonly tail: string
  readonly strays: readonly Stray[]
  /** The scratchpad changed while it ran. */
  readonly scratchpadChanged: boolean
}

export interface Stray {
  readonly pid: number
  /** Command line, shortened. */
  readonly command: string
}

/** Why the fold ends an agent. */
export type StopCause =
  | 'worker-timeout'
  | 'wave-deadline'
  | 'inactivity'
  | 'lingering'
  | 'completion'
  | 'interrupt'
  | 'cancelled'

export interface Running {
  readonly n: number
  readonly work: Work
  readonly attempt: number
  readonly backend: string
  pid: number | null
  /** Set once a stop was asked for. */
  stopping: StopCause | null
}

// ---------------------------------------------------------------- waves

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
}

// ---------------------------------------------------------------- ends

export type StopReason =
  | 'completed'
  | 'cancelled'
  | 'max_iterations'
  | 'max_runtime'
  | 'max_cost'
  | 'max_tokens'
  | 'max_agents'
  | 'consecutive_failures'
  | 'validation_failure'
  | 'loop_stale'
  | 'no_progress'
  | 'backend_unavailable'
  | 'stopped'
  | 'workspace_gone'
  | 'io_error'
  | 'interrupted'

/** A wish to end that came from outside the loop's own rules. */
export interface Stop {
  readonly reason:
    | 'interrupted'
    | 'stopped'
    | 'workspace_gone'
    | 'io_error'
    | 'backend_unavailable'
    | 'max_runtime'
  /** `now`: running agents are ended. `drain`: they finish, nothing new starts. */
  readonly how: 'now' | 'drain'
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP'
  readonly message?: string
}

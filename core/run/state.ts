import type { StopCause } from '../agent/end.ts'
import type { Blob } from '../blob.ts'
import type { EventLoopSettings, FeatureSettings, Price } from '../config/settings.ts'
import type { HatId } from '../hat.ts'
import type { AccountTrouble, CostSource } from '../run-event.ts'
import type { Topology } from '../topology.ts'
import type { Adoptable } from '../wave/adopt.ts'
import type { Paces } from '../wave/pace.ts'
import type { Room } from '../wave/room.ts'
import type { Throttle } from '../wave/throttle.ts'
import type { Wave, WaveId, Work } from '../wave/wave.ts'
import type { Letter, Loop } from './loop.ts'

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
  /** As the config was read for the invocation at work. */
  rules: Rules
  topology: Topology
  /** Null in `ralph wave run`: one wave and no loop. */
  readonly loop: Loop | null
  /** Waves that are not merged yet, in order of their opening. */
  readonly waves: Map<WaveId, Wave>
  /** Waves that this run has known, for late lines. */
  readonly knownWaves: Set<WaveId>
  /** Merged waves whose results still wait in an inbox, or stand in the current iteration's prompt. */
  readonly merged: Map<WaveId, Wave>
  /** Results that items of this iteration's waves take over, by key: of an earlier chain, or found on disk. */
  adoptable: Adoptable
  /** Results that were found on disk: what they cost counts once. */
  readonly found: Set<string>
  /** Waves that the journal has lost: `adoptable` has their results until an iteration is closed that began after iteration `since`. */
  lost: { readonly waves: readonly WaveId[]; readonly since: number } | null
  /** Those whose time is over: what asks the same later is work of its own. */
  readonly pastLost: Set<WaveId>
  /** Agents that were started and have not ended, by number. */
  readonly running: Map<number, Running>
  /** Items of open waves by the numbers of their agents, ended ones included: a late line finds its item. */
  readonly workers: Map<number, Work>
  /** Numbers of all agents that were workers. */
  readonly workerAgents: Set<number>
  /** Backends whose providers push back, and how many of their agents may run. */
  readonly throttle: Throttle
  /** When the next agent of a backend may start, where that is bound. */
  readonly paces: Paces
  /** How many agents the machine lets run, where it has refused a start. */
  room: Room
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
  /** The provider turned the iteration's agent away: the same work again after a pause. */
  | { readonly kind: 'backoff'; readonly class: string; readonly ms: number }
  | {
      readonly kind: 'retry'
      readonly wave: WaveId
      readonly index: number
      readonly class: string
      readonly ms: number
      /** The attempt that comes, from 2. */
      readonly attempt: number
      readonly maxAttempts: number
      readonly payload: Blob
    }
  /** A worker forgot its result and is asked once more. */
  | { readonly kind: 'nudge'; readonly wave: WaveId; readonly index: number; readonly payload: Blob }

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
  /** Where the user's own command is the backend: that command. */
  readonly command?: string
  /** Absent: the program's own choice, or a journal that does not tell it. */
  readonly model?: string
  readonly output: 'text' | 'stream'
  readonly contextWindow: number
  readonly price?: Price
  /** Inactivity limit of ordinary iterations. */
  readonly inactivitySeconds: number
  /** Least time between two starts of its agents. Absent: none. */
  readonly startGapMs?: number
  /** How a person logs in to it. Absent: not known. */
  readonly login?: string
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

export interface Running {
  readonly n: number
  readonly work: Work
  readonly attempt: number
  readonly backend: string
  pid: number | null
  /** What tells its process from a later one with that pid; null until it has started. */
  process: { readonly startTime: string; readonly bootId: string } | null
  /** Set once a stop was asked for. */
  stopping: StopCause | null
}

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
  readonly trouble?: AccountTrouble
}

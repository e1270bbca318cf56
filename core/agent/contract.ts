import type { AgentEvent, AgentTask, Backend } from '../backend/contract.ts'
import type { Secrets } from '../secrets.ts'
import type { AgentEnd, Lapse, StopCause } from './end.ts'
import type { LongText } from './long-text.ts'

/** One process to be run for one prompt. */
export interface AgentJob {
  /** `RALPH_AGENT`: `<run-id>:<n>`. Already in `env`. */
  readonly marker: string
  readonly backend: Backend
  readonly task: AgentTask
  /** The whole environment of the process, before the backend's own `env` is applied. */
  readonly env: Readonly<Record<string, string>>
  /** Where output is kept, whole; files are made when there is something to write. */
  readonly logs: { readonly stdout: string; readonly stderr: string }
  readonly clocks: Clocks
  /** Ends what is left behind at once (`features.strays: kill`); else it is only named. */
  readonly killStrays: boolean
  /** Words in front of the command line. */
  readonly wrap?: readonly string[]
  /** What must not be kept or shown. */
  readonly secrets?: Secrets
}

/** Times in milliseconds; null or 0: off. */
export interface Clocks {
  /** Wall clock of the whole attempt. */
  readonly limitMs: number | null
  /** Without a sign of life: bytes, an event, CPU time of the tree. A third of it gives a warning. */
  readonly inactivityMs: number | null
  /** After the terminal record of a stream. */
  readonly exitGraceMs: number
  /** Text output: after the last event, without a sign of life, while no descendant lives. */
  readonly emitGraceMs: number
}

/** What the supervisor tells of an agent. `lapsed` asks for a decision; the supervisor never ends an agent by itself. */
export type AgentNote =
  | { readonly type: 'started'; readonly pid: number; readonly startTime: string; readonly bootId: string }
  | { readonly type: 'said'; readonly event: AgentEvent }
  | { readonly type: 'quiet'; readonly silentMs: number }
  | { readonly type: 'lapsed'; readonly which: Lapse }
  | { readonly type: 'ended'; readonly end: ProcessReport }

/** `AgentEnd` less what only the shell of the run knows. */
export type ProcessReport = Omit<
  AgentEnd,
  'finalMessage' | 'inner' | 'scratchpadChanged' | 'textEvents' | 'lastLine'
> & {
  readonly finalMessage: string | LongText
}

export interface AgentHandle {
  /**
   * TERM to the group, grace (the backend's unless given), KILL; then what descends from it or carries the marker, but not
   * after `lingering` and `completion`. First cause wins; returns at once.
   */
  stop(cause: StopCause, graceMs?: number): void
  /** KILL at once. */
  kill(): void
  /** An event of this agent was accepted: a sign of life, and the start of lingering for text output. */
  eventAccepted(): void
  /** A completion or cancellation event came from this agent: it is given little time to end by itself. */
  completionSeen(): void
}

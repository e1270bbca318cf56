import type { FailureClass, Usage } from '../backend/contract.ts'
import type { Blob } from '../blob.ts'
import type { Event } from '../event.ts'

/** How a process of an agent ended, as its supervisor reports it. */
export interface AgentEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The operating system's error, if the program could not be started. */
  readonly spawnError: string | null
  /** That error says that the machine has too little of something for now. Nothing was paid for. */
  readonly shortage?: boolean
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
  /** What runs spent that the agent itself started; absent if it started none. */
  readonly inner?: InnerSpending
  /** Its conversation, where a further prompt can go on with it. */
  readonly session?: string
  /** The scratchpad changed while it ran. */
  readonly scratchpadChanged: boolean
}

export interface Stray {
  readonly pid: number
  /** Together with the pid it tells the process from a later one. */
  readonly startTime?: string
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

/** Which of an agent's own clocks ran out. */
export type Lapse = 'limit' | 'inactivity' | 'lingering' | 'completion'

/** Cost and tokens of runs inside a run. */
export interface InnerSpending {
  /** Null: unknown. */
  readonly costUsd: number | null
  readonly inputTokens: number
  readonly outputTokens: number
}

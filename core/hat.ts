import type { Access } from './access.ts'
import type { Pattern, Topic } from './topic.ts'

export type HatId = string

/** A role: which topics wake it, which it may emit, what it is told. */
export interface Hat {
  readonly id: HatId
  readonly name: string
  /** Shown to hats that hand over to this one; the name where the config gives none. */
  readonly description: string
  readonly triggers: readonly Pattern[]
  readonly publishes: readonly Pattern[]
  /** `instructions` and `extra_instructions`, joined. May be empty. */
  readonly instructions: string
  /** Absent: the global backend. */
  readonly backend?: BackendChoice
  readonly backendArgs: readonly string[]
  readonly model?: string
  readonly effort?: string
  readonly access?: Access
  readonly defaultPublishes?: Topic
  readonly maxActivations?: number
  readonly scratchpad?: Scratchpad
  readonly disallowedTools: readonly string[]
  /** Wall clock of one worker of this hat. */
  readonly timeoutSeconds?: number
  readonly concurrency: number
  readonly aggregate?: Aggregate
  readonly retry?: Partial<Retry>
}

export interface Aggregate {
  readonly mode: 'wait_for_all'
  readonly timeoutSeconds: number
  /** True if the config sets the timeout: only then it bounds the wave (contract/waves §8.2). */
  readonly timeoutIsSet: boolean
  readonly budgetBytes: number
}

/** Which program plays a hat. */
export type BackendChoice =
  | {
      readonly kind: 'named'
      readonly name: string
      readonly args: readonly string[]
      readonly agent?: string
    }
  | {
      readonly kind: 'command'
      readonly command: string
      readonly args: readonly string[]
      readonly promptMode: 'arg' | 'stdin'
      readonly promptFlag?: string
    }

export interface Scratchpad {
  readonly enabled: boolean
  /** Relative to the workspace, or absolute. */
  readonly path: string
}

export interface Retry {
  /** Tries in all, the first included. */
  readonly attempts: number
  readonly on: readonly RetryClass[]
  readonly backoffSeconds: number
}

export const RETRY_CLASSES = ['rate_limit', 'overload', 'network', 'locked', 'crash'] as const
export type RetryClass = (typeof RETRY_CLASSES)[number]

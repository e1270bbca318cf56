import type { FailureClass } from '../../core/backend/contract.ts'

/** One thing that a player does. Scripts and improvisation both end as a list of these. Texts hold placeholders. */
export type Step =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'think'; readonly text: string }
  /** Shows a tool call; runs nothing. */
  | {
      readonly kind: 'tool'
      readonly name: string
      readonly input: string
      readonly output: string
      readonly failed: boolean
    }
  /** A command for bash. Placeholders are not filled in: their values stand in its environment. */
  | { readonly kind: 'run'; readonly command: string }
  /** `ralph emit`; `payload` null: none. */
  | {
      readonly kind: 'emit'
      readonly topic: string
      readonly payload: Payload | null
      readonly json: boolean
    }
  /** `ralph wave emit`. */
  | { readonly kind: 'wave'; readonly items: readonly WaveItem[] }
  | { readonly kind: 'sleep'; readonly seconds: number }
  /** Ends with an error record and exit code 1. */
  | {
      readonly kind: 'fail'
      readonly class: FailureClass
      readonly message: string
      readonly retryAfterSeconds: number | null
    }
  /** Ends at once. 0 is a clean end; any other code ends without an end record, like a crash. */
  | { readonly kind: 'exit'; readonly code: number }
  /** Never ends by itself. */
  | { readonly kind: 'hang' }
  /** From here on TERM has no effect. */
  | { readonly kind: 'ignore_term' }
  /** Megabytes of text that is no record. */
  | { readonly kind: 'print_mb'; readonly stdout: number; readonly stderr: number }
  /** US dollars on top of those before. */
  | { readonly kind: 'cost'; readonly usd: number }
  /** Tokens on top of those before. */
  | {
      readonly kind: 'usage'
      readonly input: number
      readonly output: number
      readonly cacheRead: number
      readonly cacheWrite: number
    }
  /** Says in the stream that it is done, but goes on. */
  | { readonly kind: 'end'; readonly text: string }
  /** Does what it would do without a script. */
  | { readonly kind: 'play' }

export type Payload = { readonly text: string } | { readonly file: string }

export interface WaveItem {
  readonly topic: string
  readonly payload: string
}

import type { Event } from '../event.ts'
import type { Hat, HatId } from '../hat.ts'

/** A wave as it is journalled when it is opened: all that its course depends on. */
export interface WavePlan {
  readonly id: string
  readonly inferred: boolean
  readonly hats: Readonly<Record<HatId, Hat>>
  readonly aggregators: readonly HatId[]
  readonly total: number
  /** By index, without gaps. */
  readonly items: readonly WaveItem[]
  /** Worker timeout by hat, seconds. */
  readonly timeouts: Readonly<Record<HatId, number>>
  readonly deadlineSeconds: number | null
  readonly template: string | null
}

export interface WaveItem {
  readonly index: number
  readonly hat: HatId
  readonly event: Event
  /** An item that never runs, and why. */
  readonly barred?: 'missing' | 'exhausted' | 'scope_violation'
}

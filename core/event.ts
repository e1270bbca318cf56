import type { Blob } from './blob.ts'
import type { Topic } from './topic.ts'

/** Correlation of an event with a wave. */
export interface WaveTag {
  readonly id: string
  /** Position of the item, from 0. */
  readonly index?: number
  /** Number of items; only dispatch lines carry it. */
  readonly total?: number
}

/**
 * One record of an events file: what an agent said through `ralph emit`.
 * In files (`EventRecord`) the payload is text; inside the fold it is a blob, since payloads may be large.
 */
export interface Event<Payload = Blob> {
  readonly topic: Topic
  readonly payload: Payload
  /** As written; any text. */
  readonly ts?: string
  /** `RALPH_AGENT` of the writer, `<run-id>:<n>`. */
  readonly agent?: string
  readonly wave?: WaveTag
  /** Only on lines that a merge wrote. */
  readonly waveStatus?: string
}

/** An event as it stands in a file. */
export type EventRecord = Event<string>

/** Characters that are shown of a line that is no event. */
export const EXCERPT = 100

/** A line that is no event: contract/waves, reader. */
export interface BadLine {
  /** 1-based. */
  readonly line: number
  readonly reason: string
  /** The first `EXCERPT` characters. */
  readonly excerpt: string
}

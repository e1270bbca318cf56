import type { Row } from './report.ts'

/** One benchmark of the table. */
export interface Bench {
  /** `P1` … `P8`, or `fold`. */
  readonly id: string
  readonly about: string
  /** Each run of it makes its own files below the place's folders. */
  run(place: Place, scale: Scale): Promise<readonly Row[]>
}

/** `smoke`: once, with small numbers, to show that it works. */
export type Scale = 'full' | 'smoke'

export interface Place {
  /** In memory where there is such a file system: making files there costs the same each time. */
  readonly dir: string
  /** On the disk, for what is too large for memory. */
  readonly disk: string
  readonly peers: Peers
}

/** Other programs for the same work. */
export interface Peers {
  /** GNU parallel, or null where it is not installed. */
  readonly parallel: string | null
  /** Argv of a Node program that fans out with p-limit and execa; of one with LangGraph.js. */
  readonly execa: readonly string[]
  readonly langgraph: readonly string[]
}

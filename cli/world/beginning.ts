import type { Journal } from '../../core/journal/journal.ts'
import type { FactBody } from '../../core/run/fact.ts'
import type { State } from '../../core/run/state.ts'
import type { BlobStore } from './blobs.ts'
import type { Lock } from './lock.ts'

/** How an invocation of a loop begins: afresh, or with what an earlier one has left. */
export interface Beginning {
  readonly state: State
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly first: readonly FactBody[]
  /** Text of the objective that holds from now on. */
  readonly objective: string
  /** Topic of the first row that this invocation writes. */
  readonly topic: string
  readonly continued: boolean
  /** Byte offset in the main events file up to which all is known. */
  readonly readFrom: number
  readonly warnings: readonly string[]
  /** Keeps everybody else from the run until this invocation is over. */
  readonly hold: Lock
}

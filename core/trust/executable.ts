import type { Place } from '../config/tree.ts'
import type { HatId } from '../hat.ts'

/** Something that this machine would execute because a file of the workspace says so (contract/loop §2.7). */
export type Executable = ProgramCall | PluginCode | MockScript

/** A command line that the workspace has a word in. */
export interface ProgramCall {
  readonly kind: 'program'
  /** Who plays with it; `''` is the coordinator, and every hat without a backend of its own. */
  readonly hat: HatId
  /** The program, and the arguments that are configured. */
  readonly words: readonly string[]
  /** The backend adds arguments of its own between program and the configured ones. */
  readonly more: boolean
  /** Where the workspace says so. */
  readonly places: readonly Place[]
}

/** A plugin in the workspace's own folder. */
export interface PluginCode {
  readonly kind: 'plugin'
  readonly name: string
  /** Absolute. */
  readonly path: string
}

/** What agents of the rehearsal backend do; its steps may run commands. */
export interface MockScript {
  readonly kind: 'script'
  /** As configured. */
  readonly path: string
  readonly place: Place
}

import type { Settings } from '../../core/config/settings.ts'
import type { ControlTopics } from '../../core/control.ts'
import type { HatId } from '../../core/hat.ts'
import type { RunInfo } from '../../core/run/state.ts'
import type { ItemSettled, Report } from '../../core/run-event.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Topology } from '../../core/topology.ts'
import type { Cast, Part } from '../cast.ts'
import type { BlobStore } from './blobs.ts'
import type { Mailbox } from './inbox.ts'
import type { Reaper } from './reaper.ts'

/** What all effects of a run share. */
export interface Context {
  readonly run: RunInfo
  readonly settings: Settings
  readonly topology: Topology
  readonly control: ControlTopics
  readonly cast: Cast
  readonly blobs: BlobStore
  readonly mailbox: Mailbox
  readonly report: Report
  /** Environment of every agent, before what is its own. */
  readonly agentEnv: Readonly<Record<string, string>>
  /** Variables by which a `git` without its configuration still knows its user. */
  readonly gitIdentity: () => Readonly<Record<string, string>>
  /** What is kept out of files and messages. */
  readonly secrets: Secrets
  /** Absolute path of this very program. */
  readonly executable: string
  /** Text of the objective, for agents that play by role. */
  readonly objective: string
  /** Where worker files lie. */
  readonly eventsDir: string
  /** False in `ralph wave run`. */
  readonly hasLoop: boolean
  /** Byte offset in the main events file up to which an earlier invocation has read. */
  readonly readFrom: number
  /** True where an earlier invocation may have done a part already: what is on disk is not done twice. */
  readonly continued: boolean
  /** Null where the system has none. */
  readonly reaper: Reaper | null
  /** Makes anew what a run needs in `.ralph/`, where an agent has deleted it. */
  refreshWorkspace(): void
  readonly logPrompt?: (title: string, text: string) => void
  readonly onSettled?: (item: ItemSettled) => void
}

/** What plays a hat: its own backend, else the global one. */
export function partOf(cast: Cast, hat: HatId): Part {
  const part = cast.parts.get(hat) ?? cast.parts.get('')
  if (part === undefined) throw new Error('a cast has a global part')
  return part
}

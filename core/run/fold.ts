import { messageOf, RalphError } from '../errors.ts'
import type { JournalContent } from '../journal/read.ts'
import { createTopology } from '../topology.ts'
import { absorb } from './absorb.ts'
import { createState } from './create.ts'
import type { RunInfo, State } from './state.ts'

export interface FoldOptions {
  /** The run's folder, absolute. */
  readonly dir: string
  /** The invocation that goes on with the run. */
  readonly run?: Pick<RunInfo, 'pid' | 'startedAt' | 'startedMono'>
  /** Sees the state after each fact: what is let go later can be kept by somebody who wants to tell of it. */
  readonly watch?: (state: State) => void
}

/**
 * Folds a journal back into the state that it describes, by the config that held when each fact was recorded.
 * Throws `journal_broken` where it contradicts itself.
 */
export function foldJournal({ manifest, facts }: JournalContent, { dir, run, watch }: FoldOptions): State {
  const { config } = manifest
  const state = createState({
    run: {
      id: manifest.runId,
      workspace: manifest.workspace,
      dir,
      eventsFile: manifest.eventsFile,
      ...(run ?? { pid: 0, startedAt: manifest.startedAt, startedMono: 0 }),
    },
    rules: {
      eventLoop: config.eventLoop,
      features: config.features,
      backends: manifest.backends,
    },
    topology: createTopology(config.hats),
    loop: manifest.mode === 'loop',
  })
  try {
    for (const fact of facts) {
      absorb(state, fact)
      watch?.(state)
    }
  } catch (error) {
    throw new RalphError(
      'journal_broken',
      `the journal of run ${manifest.runId} cannot be folded: ${messageOf(error)}`,
      {
        hint: 'it may be of another version of ralph; start a fresh run',
        cause: error,
      },
    )
  }
  return state
}

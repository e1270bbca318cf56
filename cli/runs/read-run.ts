import { join } from 'node:path'
import { type JournalContent, readJournal } from '../../core/journal/read.ts'
import { absorb } from '../../core/run/absorb.ts'
import { foldJournal } from '../../core/run/fold.ts'
import type { State } from '../../core/run/state.ts'
import type { Wave } from '../../core/wave/wave.ts'
import { readingOnly } from '../world/blobs.ts'
import { filedOutcomes } from '../world/filed-outcomes.ts'
import { isHeld, readRunHolder } from '../world/run-hold.ts'

/** What the journal of a run comes to, while it goes on or afterwards. */
export interface RunRecord {
  readonly dir: string
  readonly content: JournalContent
  readonly state: State
  /** All waves of the run in order of their opening, merged ones too. */
  readonly waves: readonly Wave[]
  /** A living process works on it. */
  readonly isRunning: boolean
  /** Its id, while it is running. */
  readonly pid: number | null
  /** When something last happened in it, Unix milliseconds. */
  readonly lastAt: number
}

/** Folds the journal in a run's folder. Throws what the journal's reader and the fold throw. */
export function readRun(dir: string): RunRecord {
  // Asked before the journal is read: what ends meanwhile is then told as ended, never as cut.
  const isRunning = isHeld(dir)
  const content = readJournal(join(dir, 'journal.jsonl'))
  const waves = new Map<string, Wave>()
  let known = 0
  const state = foldJournal(content, {
    dir,
    watch({ knownWaves, waves: open }) {
      if (knownWaves.size === known) return
      known = knownWaves.size
      for (const [id, wave] of open) waves.set(id, wave)
    },
  })
  if (!isRunning && state.ended === null) recover(state)
  return {
    dir,
    content,
    state,
    waves: [...waves.values()],
    isRunning: isRunning && state.ended === null,
    pid: isRunning && state.ended === null ? (readRunHolder(dir)?.pid ?? null) : null,
    lastAt: content.facts.at(-1)?.at ?? content.manifest.startedAt,
  }
}

/** Outcomes on disk of which the journal of a crashed run does not know: they count as they will for who goes on with it. Writes nothing. */
function recover(state: State): void {
  for (const fact of filedOutcomes(state, readingOnly(state.run.dir))) {
    absorb(state, { ...fact, at: state.run.startedAt, mono: state.lastMono })
  }
}

/** Waves with items that have no outcome, or, in a loop, with results that were never merged. */
export function openWaves(record: RunRecord): readonly Wave[] {
  return record.waves.filter((wave) => isOpen(record, wave))
}

/** A wave from the shell whose run has crashed is open to its end: nobody knows whether its results have been read. */
export function isOpen({ state, isRunning }: RunRecord, wave: Wave): boolean {
  if (state.loop !== null) return state.waves.has(wave.id)
  return wave.settled < wave.works.length || (!isRunning && state.ended === null)
}

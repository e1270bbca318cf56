import { join } from 'node:path'
import { readJournal } from '../core/journal/read.ts'
import { foldJournal } from '../core/run/fold.ts'
import type { Loop } from '../core/run/loop.ts'
import type { State } from '../core/run/state.ts'
import { countStatuses } from '../core/wave/gate.ts'
import { currentRun, findRunFolder, noEarlierRun } from './world/find-run.ts'
import { isLocked, readHolder } from './world/lock.ts'
import { LOCK_FILE } from './world/workspace.ts'

/** What can be told of a run from its journal, while it goes on or afterwards. */
export interface RunStatus {
  readonly run_id: string
  /** `running`: a process holds the workspace. `cut`: it ended without a word. */
  readonly state: 'running' | 'ended' | 'cut'
  readonly pid: number | null
  readonly iteration: number
  /** Active hats; empty: the coordinator. */
  readonly hats: readonly string[]
  readonly phase: string
  readonly waves: readonly WaveStatus[]
  readonly elapsed_ms: number
  readonly cost_usd: number | null
  readonly cost_source: 'reported' | 'derived' | null
  readonly input_tokens: number
  readonly output_tokens: number
  readonly agents_started: number
  readonly stop_reason: string | null
}

export interface WaveStatus {
  readonly wave_id: string
  readonly total: number
  readonly settled: number
  readonly running: number
  readonly waiting: number
  readonly statuses: Readonly<Record<string, number>>
}

/** The run in progress, else the last one of the workspace. Throws `no_run`. */
export function readStatus(env: Readonly<Record<string, string | undefined>>, cwd: string): RunStatus {
  const id = currentRun(env, cwd)
  const dir = id === null ? null : findRunFolder(env, cwd, id)
  if (dir === null) throw noEarlierRun()
  const state = foldJournal(readJournal(join(dir, 'journal.jsonl')), { dir })
  const lock = join(cwd, LOCK_FILE)
  const isRunning = isLocked(lock)
  const { totals, loop } = state
  return {
    run_id: state.run.id,
    state: isRunning ? 'running' : state.ended === null ? 'cut' : 'ended',
    pid: isRunning ? (readHolder(lock)?.pid ?? null) : null,
    iteration: loop?.iteration ?? 0,
    hats: loop?.current?.hats ?? [],
    phase: state.ended === null ? phaseName(loop) : 'ended',
    waves: [...state.waves.values()].map((wave) => ({
      wave_id: wave.id,
      total: wave.works.length,
      settled: wave.settled,
      running: wave.runningCount,
      waiting: wave.queued + wave.waiting,
      statuses: countStatuses(wave),
    })),
    elapsed_ms: elapsed(state, isRunning),
    cost_usd: totals.costSource === null ? null : totals.costUsd,
    cost_source: totals.costSource,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    agents_started: totals.agentsStarted,
    stop_reason: state.ended,
  }
}

function phaseName(loop: Loop | null): string {
  return loop?.phase.at ?? 'waving'
}

/** Of all invocations together; the running one up to now. */
function elapsed(state: State, isRunning: boolean): number {
  const upToLastFact = state.pastMs + state.lastMono - state.beganMono
  return Math.round(isRunning ? Math.max(upToLastFact, Date.now() - state.run.startedAt) : upToLastFact)
}

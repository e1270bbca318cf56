import { countCut } from '../core/run/absorb-recovered.ts'
import { countStatuses } from '../core/wave/gate.ts'
import type { Wave } from '../core/wave/wave.ts'
import { openWaves, type RunRecord, readRun } from './runs/read-run.ts'
import { currentRun, findRunFolder, noEarlierRun } from './world/find-run.ts'

/** What can be told of a run from its journal, while it goes on or afterwards. The one place that knows. */
export interface RunStatus {
  readonly run_id: string
  readonly kind: 'loop' | 'wave'
  readonly workspace: string
  /** `running`: a process works on it. `cut`: it ended without a word. */
  readonly state: 'running' | 'ended' | 'cut'
  readonly pid: number | null
  readonly iteration: number
  /** Active hats; empty: the coordinator. */
  readonly hats: readonly string[]
  readonly phase: string
  /** Open ones. */
  readonly waves: readonly WaveStatus[]
  /** Unix milliseconds: the begin of its first invocation, and the last thing that happened. */
  readonly started_at: number
  readonly last_at: number
  readonly elapsed_ms: number
  /** A lower bound where agents told no cost. */
  readonly cost_usd: number | null
  readonly cost_source: 'reported' | 'derived' | null
  readonly agents_without_cost: number
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
  if (dir === null) throw noEarlierRun(env, cwd)
  return statusOf(readRun(dir))
}

export function statusOf(run: RunRecord): RunStatus {
  const { state, isRunning, content } = run
  const { totals, loop } = state
  return {
    run_id: state.run.id,
    kind: content.manifest.mode,
    workspace: state.run.workspace,
    state: isRunning ? 'running' : state.ended === null ? 'cut' : 'ended',
    pid: run.pid,
    iteration: loop?.iteration ?? 0,
    hats: loop?.current?.hats ?? [],
    phase: state.ended === null ? (loop?.phase.at ?? 'waving') : 'ended',
    waves: openWaves(run).map(waveStatus),
    started_at: content.manifest.startedAt,
    last_at: run.lastAt,
    elapsed_ms: elapsed(run),
    cost_usd: totals.costSource === null ? null : totals.costUsd,
    cost_source: totals.costSource,
    agents_without_cost: totals.unknownCosts + (isRunning ? 0 : countCut(state)),
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    agents_started: totals.agentsStarted,
    stop_reason: state.ended,
  }
}

export function waveStatus(wave: Wave): WaveStatus {
  return {
    wave_id: wave.id,
    total: wave.works.length,
    settled: wave.settled,
    running: wave.runningCount,
    waiting: wave.queued + wave.waiting,
    statuses: countStatuses(wave),
  }
}

/** Of all invocations together; the running one up to now. */
function elapsed({ state, isRunning, lastAt }: RunRecord): number {
  const upToLastFact = state.pastMs + state.lastMono - state.beganMono
  return Math.round(isRunning ? upToLastFact + Math.max(0, Date.now() - lastAt) : upToLastFact)
}

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { InnerSpending } from '../../core/agent/end.ts'
import type { Settings } from '../../core/config/settings.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import type { State } from '../../core/run/state.ts'
import type { Report, RunEvent } from '../../core/run-event.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What an outer run has left for the runs that its agents start; null: no limit. */
export interface Allowance {
  readonly costUsd: number | null
  readonly tokens: number | null
}

const ALLOWANCE = 'allowance.json'
const SPENDING = 'inner'

/** Keeps what is left of a run's budgets where runs inside it can read it (contract/loop §10.2). */
export function writeAllowance(runDir: string, state: State): void {
  const { maxCostUsd, maxTokensTotal } = state.rules.eventLoop
  const { costUsd, inputTokens, outputTokens } = state.totals
  const left: Allowance = {
    costUsd: maxCostUsd === undefined ? null : Math.max(0, maxCostUsd - costUsd),
    tokens: maxTokensTotal === undefined ? null : Math.max(0, maxTokensTotal - inputTokens - outputTokens),
  }
  if (left.costUsd !== null || left.tokens !== null) replace(join(runDir, ALLOWANCE), left)
}

/** The run under whose agent this program runs; null if there is none. */
export interface OuterRun {
  readonly allowance: Allowance
  /** Tells the outer run what this one has spent so far. */
  report(state: State): void
}

export function findOuterRun(env: Env): OuterRun | null {
  const marker = /^([A-Za-z0-9_-][A-Za-z0-9._-]*):(\d+)$/.exec(env.RALPH_AGENT ?? '')
  const dir = marker?.[1] === undefined ? null : outerFolder(env, marker[1])
  if (marker === null || dir === null) return null
  return {
    allowance: readAllowance(dir),
    report({ run, totals }) {
      const folder = join(dir, SPENDING, marker[2] ?? '0')
      const spent: InnerSpending = {
        costUsd: totals.costSource === null ? null : totals.costUsd,
        inputTokens: totals.inputTokens,
        outputTokens: totals.outputTokens,
      }
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        replace(join(folder, `${run.id}.json`), spent)
      } catch {
        // The outer run and its folder may be gone; nobody is left to be told.
      }
    },
  }
}

/** The settings of an inner run: its own budgets, and at most what the outer run has left. */
export function withinAllowance(settings: Settings, outer: OuterRun | null): Settings {
  if (outer === null) return settings
  const { maxCostUsd, maxTokensTotal } = settings.eventLoop
  const cost = least(maxCostUsd, outer.allowance.costUsd)
  const tokens = least(maxTokensTotal, outer.allowance.tokens)
  return {
    ...settings,
    eventLoop: {
      ...settings.eventLoop,
      ...(cost === undefined ? {} : { maxCostUsd: cost }),
      ...(tokens === undefined ? {} : { maxTokensTotal: tokens }),
    },
  }
}

/** A report that also keeps the outer run informed, whenever something was spent. */
export function informing(outer: OuterRun | null, state: State, report: Report): Report {
  if (outer === null) return report
  return (event) => {
    report(event)
    if (SPENDING_EVENTS.has(event.type)) outer.report(state)
  }
}

const SPENDING_EVENTS: ReadonlySet<RunEvent['type']> = new Set([
  'iteration_end',
  'wave_worker_done',
  'loop_terminated',
])

function least(own: number | undefined, left: number | null): number | undefined {
  if (left === null) return own
  return own === undefined ? left : Math.min(own, left)
}

/** What runs that an agent started have spent; null if it started none. */
export function readInnerSpending(runDir: string, agent: number): InnerSpending | null {
  const folder = join(runDir, SPENDING, String(agent))
  if (!existsSync(folder)) return null
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as InnerSpending)
  if (all.length === 0) return null
  const costs = all.flatMap((one) => (one.costUsd === null ? [] : [one.costUsd]))
  return {
    costUsd: costs.length === 0 ? null : sum(costs),
    inputTokens: sum(all.map((one) => one.inputTokens)),
    outputTokens: sum(all.map((one) => one.outputTokens)),
  }
}

function outerFolder(env: Env, runId: string): string | null {
  const state = stateFolder(env)
  const places = [
    ...(state === null ? [] : [join(resolve(state), 'runs', runId)]),
    ...(env.RALPH_WORKSPACE_ROOT ? [join(env.RALPH_WORKSPACE_ROOT, RALPH_DIR, 'runs', runId)] : []),
  ]
  return places.find((dir) => existsSync(dir)) ?? null
}

function readAllowance(dir: string): Allowance {
  const path = join(dir, ALLOWANCE)
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Allowance)
    : { costUsd: null, tokens: null }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

/** In one step, so that no reader sees half of it. */
function replace(path: string, value: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Blob } from '../../core/blob.ts'
import { messageOf } from '../../core/errors.ts'
import { collectSecrets, type Secrets } from '../../core/secrets.ts'
import type { WorkAddress } from '../../core/wave/wave.ts'
import { type RunStatus, statusOf, waveStatus } from '../run-status.ts'
import { createBlobStore, readingOnly } from '../world/blobs.ts'
import { filedResults, lostWaves } from '../world/filed-outcomes.ts'
import type { KnownRun } from '../world/known-runs.ts'
import { isHeld, readRunHolder } from '../world/run-hold.ts'
import { openWaves, type RunRecord, readRun } from './read-run.ts'

/** One run in the list of runs. A field that cannot be told is null. */
export interface RunSummary {
  readonly run_id: string
  readonly kind: 'loop' | 'wave' | null
  readonly workspace: string | null
  /** `damaged`: its journal cannot be read, and nobody works on it. */
  readonly state: RunStatus['state'] | 'damaged'
  readonly stop_reason: string | null
  readonly pid: number | null
  /** Unix milliseconds. */
  readonly started_at: number | null
  readonly last_at: number
  readonly iterations: number | null
  readonly agents_started: number | null
  readonly cost_usd: number | null
  readonly cost_source: RunStatus['cost_source']
  readonly agents_without_cost: number | null
  readonly open_waves: readonly OpenWave[]
  /** Its beginning, on one line; of a wave from the shell the prompt, or the first item. */
  readonly objective: string | null
  /** Of all files in its folder. */
  readonly bytes: number
  readonly folder: string
  /** What is wrong with its journal. */
  readonly problem: string | null
}

export interface OpenWave {
  readonly wave_id: string
  readonly settled: number
  readonly total: number
  /** Items that are paid for and were never handed on; of a crashed run also those that were under way: what they wrote may be unread. */
  readonly unmerged: number
}

/** What the list of runs tells of one. Never throws for a damaged journal: that is what it tells then. */
export function summarize(run: KnownRun, env: Readonly<Record<string, string | undefined>>): RunSummary {
  return lookInto(run, env).summary
}

/** A run as the list tells of it, and what other runs must know of its results. */
export interface RunLook {
  readonly summary: RunSummary
  /** Items of its open waves that are paid for, by wave. Null: under way when the run crashed. */
  readonly paid: Paid
  /** Items of earlier runs whose results it has taken over, and holds itself. */
  readonly takenOver: ReadonlySet<string>
}

type Paid = ReadonlyMap<string, readonly (string | null)[]>

/** Looks into one run, as `summarize` does. */
export function lookInto(run: KnownRun, env: Readonly<Record<string, string | undefined>>): RunLook {
  try {
    if (run.problem !== null)
      return { summary: damaged(run, run.problem), paid: new Map(), takenOver: new Set() }
    const record = readRun(run.dir)
    const lost = lostResults(record)
    const paid = new Map([...paidItems(record), ...lost])
    const takenOver = new Set(
      record.waves.flatMap((wave) =>
        wave.works.flatMap(({ adopted }) =>
          adopted === null || adopted.from.run === run.id ? [] : [addressOf(adopted.from)],
        ),
      ),
    )
    return { summary: summaryOf(record, run, { env, paid, lost }), paid, takenOver }
  } catch (error) {
    return { summary: damaged(run, messageOf(error)), paid: new Map(), takenOver: new Set() }
  }
}

function paidItems(record: RunRecord): Paid {
  const { id } = record.state.run
  const wasCut = !record.isRunning && record.state.ended === null
  return new Map(
    openWaves(record).map((wave) => [
      wave.id,
      wave.works.flatMap((work) => {
        const { outcome, accepted, status, adopted } = work
        if (outcome === null ? accepted.length > 0 : outcome.events.length > 0) {
          return [addressOf(adopted?.from ?? { run: id, wave: wave.id, index: work.index })]
        }
        return wasCut && outcome === null && status === 'running' ? [null] : []
      }),
    ]),
  )
}

/** Results of waves of which the journal has lost all: they are taken over by who goes on with the run. */
function lostResults({ state, isRunning }: RunRecord): Paid {
  if (isRunning || state.ended === 'completed' || state.ended === 'cancelled') return new Map()
  const blobs = readingOnly(state.run.dir)
  const found = lostWaves(state).map(
    (wave) =>
      [wave, filedResults(state, wave, blobs).map(({ adoption }) => addressOf(adoption.from))] as const,
  )
  return new Map(found.filter(([, results]) => results.length > 0))
}

function addressOf({ run, wave, index }: WorkAddress): string {
  return `${run}/${wave}/${index}`
}

function summaryOf(
  record: RunRecord,
  run: KnownRun,
  of: Pick<RunLook, 'paid'> & { readonly lost: Paid; readonly env: Parameters<typeof collectSecrets>[0] },
): RunSummary {
  const { env, paid, lost } = of
  const status = statusOf(record)
  const { badLines } = record.content
  const asked = askedOf(record)
  return {
    run_id: run.id,
    kind: status.kind,
    workspace: status.workspace,
    state: status.state,
    stop_reason: status.stop_reason,
    pid: status.pid,
    started_at: status.started_at,
    last_at: status.state === 'running' ? Math.max(status.last_at, Date.now()) : status.last_at,
    iterations: status.kind === 'loop' ? status.iteration : null,
    agents_started: status.agents_started,
    cost_usd: status.cost_usd,
    cost_source: status.cost_source,
    agents_without_cost: status.agents_without_cost,
    open_waves: [
      ...openWaves(record).map((wave) => {
        const { wave_id, settled, total } = waveStatus(wave)
        return { wave_id, settled, total, unmerged: paid.get(wave_id)?.length ?? 0 }
      }),
      ...[...lost].map(([wave_id, { length }]) => ({
        wave_id,
        settled: length,
        total: length,
        unmerged: length,
      })),
    ],
    objective: asked === null ? null : preview(asked, collectSecrets(env)),
    bytes: folderBytes(run.dir),
    folder: run.dir,
    problem: badLines.length === 0 ? null : `records that cannot be read, in line ${badLines.join(', ')}`,
  }
}

function damaged(run: KnownRun, problem: string): RunSummary {
  const isRunning = isHeld(run.dir)
  return {
    run_id: run.id,
    kind: run.manifest?.mode ?? null,
    workspace: run.workspace,
    state: isRunning ? 'running' : 'damaged',
    stop_reason: null,
    pid: isRunning ? (readRunHolder(run.dir)?.pid ?? null) : null,
    started_at: run.manifest?.startedAt ?? null,
    last_at: lastWrite(run.dir),
    iterations: null,
    agents_started: null,
    cost_usd: null,
    cost_source: null,
    agents_without_cost: null,
    open_waves: [],
    objective: null,
    bytes: folderBytes(run.dir),
    folder: run.dir,
    problem,
  }
}

/** What was asked for; null where it is gone. */
function askedOf({ dir, state, waves }: RunRecord): string | null {
  if (state.loop !== null) return textOf(dir, state.loop.objective)
  const [wave] = waves
  const template = wave?.shell?.template ?? null
  if (template !== null) return template
  const first = wave?.works[0]
  return first === undefined ? null : textOf(dir, first.payload)
}

function textOf(dir: string, blob: Blob): string | null {
  try {
    return createBlobStore(dir).read(blob)
  } catch {
    return null
  }
}

/** Its beginning on one line. Only where an end is cut off may there be the beginning of a secret. */
function preview(text: string, secrets: Secrets): string {
  const shown = text.length > LOOKED_AT ? secrets.cut(text.slice(0, LOOKED_AT)) : secrets.text(text)
  return [...shown.replace(/\s+/gu, ' ').trim()].slice(0, PREVIEW).join('')
}

const PREVIEW = 100
/** White space does not count in the end. */
const LOOKED_AT = PREVIEW * 8

/** When the journal, or else the folder, was last written. Unix milliseconds. */
function lastWrite(dir: string): number {
  const journal = lstatSync(join(dir, 'journal.jsonl'), { throwIfNoEntry: false })
  return Math.round((journal ?? lstatSync(dir, { throwIfNoEntry: false }))?.mtimeMs ?? 0)
}

/** Sizes of all files below a folder; what links lead to does not count. */
export function folderBytes(dir: string): number {
  let bytes = 0
  for (const entry of entriesOf(dir)) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) bytes += folderBytes(path)
    else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

/** Empty for a folder that has gone meanwhile. */
function entriesOf(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

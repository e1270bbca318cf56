import { join } from 'node:path'
import { messageOf, osCodeOf, RalphError } from '../core/errors.ts'
import { parseRecord } from '../core/events-file/record.ts'
import { readJournal } from '../core/journal/read.ts'
import { readRegularFile } from '../core/regular-file.ts'
import type { Fact } from '../core/run/fact.ts'
import { findRunFolder } from './world/find-run.ts'

/** One line of an events file, with the part that was played by whoever wrote it. */
export interface HistoryRow {
  readonly ts: string | null
  readonly iteration: number | null
  /** `loop` for the loop's own rows, `ralph` for the coordinator; null if nobody knows. */
  readonly hat: string | null
  readonly topic: string
  readonly triggered?: string
  readonly payload: string
  readonly wave_id?: string
  readonly wave_index?: number
  readonly wave_total?: number
  readonly wave_status?: string
}

export interface History {
  readonly rows: readonly HistoryRow[]
  /** Numbers of lines that are no records. */
  readonly badLines: readonly number[]
}

/** Reads an events file as a history: what agents wrote, and the loop's own rows. A missing file has no rows. */
export function readHistory(path: string, place: Place): History {
  return createHistorian(place).read(readText(path).split('\n'))
}

/** Makes rows of the lines of an events file, as they come. */
export interface Historian {
  /** Further lines of the file. */
  read(lines: readonly string[]): History
}

/** @param growing further lines come: those of unknown origin belong to the iteration that has no summary yet */
export function createHistorian(place: Place, growing = false): Historian {
  let actors = new Map<string, Actors>()
  let lineCount = 0
  let summed = 0

  const actorOf = (agent: string): Actor | undefined => {
    const run = agent.slice(0, agent.lastIndexOf(':'))
    const known = actors.get(run) ?? readActors(run, place)
    actors.set(run, known)
    return known.get(Number(agent.slice(run.length + 1)))
  }

  return {
    read(lines) {
      // Agents have been started since.
      actors = new Map()
      const rows: HistoryRow[] = []
      const badLines: number[] = []
      for (const line of lines) {
        lineCount++
        if (line.trim() === '') continue
        const row = loopRow(line) ?? agentRow(line, actorOf)
        if (row === null) badLines.push(lineCount)
        else rows.push(row)
        if (row?.topic === SUMMARY) summed = row.iteration ?? summed
      }
      return { rows: withIterations(rows, growing ? summed + 1 : null), badLines }
    },
  }
}

export interface Place {
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Actor {
  readonly iteration: number
  readonly hat: string
}

/** By number of the agent. */
type Actors = ReadonlyMap<number, Actor>

const MAX_BYTES = 1024 * 1024 * 1024

function readText(path: string): string {
  try {
    return readRegularFile(path, MAX_BYTES).toString()
  } catch (error) {
    if (osCodeOf(error) === 'ENOENT') return ''
    throw new RalphError('events_unreadable', `cannot read ${path}: ${messageOf(error)}`)
  }
}

/** Which part each agent of a run played, by its journal; empty without one. */
function readActors(run: string, { env, workspace }: Place): Actors {
  const dir = findRunFolder(env, workspace, run)
  return dir === null ? new Map() : actorsOf(readJournal(join(dir, 'journal.jsonl')).facts)
}

function actorsOf(facts: readonly Fact[]): Actors {
  const actors = new Map<number, Actor>()
  const workers = new Map<string, string>()
  let current: Actor = { iteration: 0, hat: COORDINATOR }
  for (const fact of facts) {
    if (fact.type === 'iteration.begun') {
      current = { iteration: fact.iteration, hat: fact.hats[0] ?? COORDINATOR }
    } else if (fact.type === 'dispatches.resolved') {
      for (const plan of fact.resolution.plans) {
        for (const item of plan.items) workers.set(`${plan.id}/${item.index}`, item.hat)
      }
    } else if (fact.type === 'agent.intended') {
      actors.set(fact.n, { iteration: current.iteration, hat: workers.get(fact.work) ?? current.hat })
    }
  }
  return actors
}

const COORDINATOR = 'ralph'

/** A row that the loop wrote, or null. */
function loopRow(line: string): HistoryRow | null {
  if (parseRecord(line).kind !== 'skip') return null
  const { ts, iteration, hat, topic, triggered, payload } = JSON.parse(line) as Record<string, unknown>
  if (typeof topic !== 'string') return null
  return {
    ts: typeof ts === 'string' ? ts : null,
    iteration: typeof iteration === 'number' ? iteration : null,
    hat: typeof hat === 'string' ? hat : null,
    topic,
    ...(typeof triggered === 'string' ? { triggered } : {}),
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload ?? ''),
  }
}

function agentRow(line: string, actorOf: (agent: string) => Actor | undefined): HistoryRow | null {
  const record = parseRecord(line)
  if (record.kind !== 'event') return null
  const { topic, payload, ts, agent, wave, waveStatus } = record.event
  const actor = agent === undefined ? undefined : actorOf(agent)
  return {
    ts: ts ?? null,
    iteration: actor?.iteration ?? null,
    hat: actor?.hat ?? null,
    topic,
    payload,
    ...(wave === undefined ? {} : { wave_id: wave.id }),
    ...(wave?.index === undefined ? {} : { wave_index: wave.index }),
    ...(wave?.total === undefined ? {} : { wave_total: wave.total }),
    ...(waveStatus === undefined ? {} : { wave_status: waveStatus }),
  }
}

const SUMMARY = 'iteration.summary'

/** A line of unknown origin belongs to the iteration whose summary comes next. */
function withIterations(rows: readonly HistoryRow[], afterLast: number | null): readonly HistoryRow[] {
  let next = afterLast
  return rows
    .toReversed()
    .map((row) => {
      if (row.topic === SUMMARY) next = row.iteration
      return row.iteration === null ? { ...row, iteration: next } : row
    })
    .toReversed()
}

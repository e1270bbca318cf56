import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Usage } from '../../core/backend/contract.ts'
import { itemFolder, resultPath } from '../../core/journal/paths.ts'
import type { FactBody } from '../../core/run/fact.ts'
import type { State } from '../../core/run/state.ts'
import { itemKeys, type KeyedItem } from '../../core/wave/item-key.ts'
import { classOf } from '../../core/wave/outcome.ts'
import type { Adoption, Cause, Cost, Outcome, WaveId, WorkAddress } from '../../core/wave/wave.ts'
import type { BlobStore } from './blobs.ts'

/**
 * Outcomes that were kept on disk although the journal does not know them: a power cut has taken its end. What cannot be
 * read whole is left out; such an item runs again.
 */
export function filedOutcomes(state: State, blobs: BlobStore): readonly FactBody[] {
  const { id, dir } = state.run
  return [...state.waves.values()].flatMap((wave) =>
    wave.works
      .filter((work) => work.status !== 'settled')
      .flatMap((work): readonly FactBody[] => {
        const filed = readFiled({ run: id, dir, wave: wave.id, index: work.index }, blobs)
        if (filed === null) return []
        const { outcome, attempts, cost, usage, player } = filed.adoption
        return [{ type: 'item.recovered', work: work.id, outcome, attempts, cost, usage, player }]
      }),
  )
}

/** Waves on disk that the journal has lost, without those whose results were on offer once before. */
export function lostWaves({ run, knownWaves, pastLost }: State): readonly WaveId[] {
  return listFolders(join(run.dir, 'waves')).filter((wave) => !knownWaves.has(wave) && !pastLost.has(wave))
}

/** Results of lost waves, by the key of their items. */
export function foundResults(state: State, blobs: BlobStore): readonly (readonly [string, Adoption])[] {
  const filed = lostWaves(state)
    .flatMap((wave) => filedResults(state, wave, blobs))
    .flatMap(({ adoption, item }) => (item === null ? [] : [{ adoption, item }]))
  const keys = itemKeys(filed.map(({ item }) => item))
  return filed.map(({ adoption }, i) => [keys[i] ?? '', adoption])
}

/** What is on disk of a wave, whatever the journal says of it. */
export function filedResults({ run }: State, wave: WaveId, blobs: BlobStore): readonly Filed[] {
  const { id, dir } = run
  return listFolders(join(dir, 'waves', wave))
    .flatMap((index) => readFiled({ run: id, dir, wave, index: Number(index) }, blobs) ?? [])
    .filter(({ adoption }) => adoption.outcome.class === 'result')
}

export interface Filed {
  readonly adoption: Adoption
  /** Null where no program was ever started for it. */
  readonly item: KeyedItem | null
}

function readFiled(of: WorkAddress & { readonly dir: string }, blobs: BlobStore): Filed | null {
  const { dir, run, wave, index } = of
  try {
    const text = readFileSync(join(itemFolder(dir, wave, index), 'outcome.json'), 'utf8')
    const record = v.parse(RECORD, JSON.parse(text))
    const events = record.results.map(({ topic }, i) => ({
      topic,
      payload: blobs.store(readFileSync(resultPath(dir, wave, index, i + 1), 'utf8')),
    }))
    return { adoption: adoptionOf(record, { run, wave, index }, events), item: itemOf(record) }
  } catch {
    return null
  }
}

function adoptionOf(record: Record, from: WorkAddress, events: Outcome['events']): Adoption {
  const { asked, reused } = record
  return {
    from: reused === undefined ? from : { run: reused.run_id, wave: reused.wave_id, index: reused.index },
    outcome: {
      status: record.status,
      class: classOf(record.status),
      // Written by this program, or not at all.
      cause: record.cause as Cause,
      reason: record.reason,
      events,
      fromFinalMessage: record.from === 'final_message',
      durationMs: record.duration_ms,
      ...(record.timeout_seconds === undefined ? {} : { timeoutSeconds: record.timeout_seconds }),
      remarks: record.remarks,
    },
    attempts: record.attempts,
    cost: costOf(record),
    usage: usageOf(record),
    player: asked === undefined ? null : { backend: asked.backend, model: asked.model },
    instructions: asked?.instructions ?? '',
  }
}

function itemOf({ asked, hat }: Record): KeyedItem | null {
  if (asked === undefined) return null
  const { instructions, backend, model, payload } = asked
  return { hat, instructions, player: { backend, model }, payload: { path: '', bytes: 0, sha256: payload } }
}

function listFolders(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path).sort() : []
}

const RECORD = v.object({
  status: v.picklist([
    'ok',
    'partial',
    'empty',
    'failed',
    'timeout',
    'spawn_failed',
    'scope_violation',
    'exhausted',
    'missing',
  ]),
  cause: v.looseObject({ kind: v.string() }),
  reason: v.nullable(v.string()),
  duration_ms: v.number(),
  timeout_seconds: v.optional(v.number()),
  attempts: v.number(),
  from: v.optional(v.string()),
  hat: v.string(),
  remarks: v.array(v.string()),
  results: v.array(v.object({ topic: v.string() })),
  cost_usd: v.nullable(v.number()),
  cost_source: v.nullable(v.picklist(['reported', 'derived'])),
  input_tokens: v.nullable(v.number()),
  output_tokens: v.nullable(v.number()),
  reused: v.optional(v.object({ run_id: v.string(), wave_id: v.string(), index: v.number() })),
  asked: v.optional(
    v.object({
      instructions: v.string(),
      backend: v.string(),
      model: v.nullable(v.string()),
      payload: v.string(),
    }),
  ),
})

type Record = v.InferOutput<typeof RECORD>

function costOf({ cost_usd, cost_source }: Record): Cost {
  return cost_usd === null || cost_source === null
    ? { unknown: true }
    : { usd: cost_usd, source: cost_source }
}

/** What was read from or written to a cache is not kept apart. */
function usageOf({ input_tokens, output_tokens }: Record): Usage | null {
  if (input_tokens === null || output_tokens === null) return null
  return { input: input_tokens, output: output_tokens, cacheRead: 0, cacheWrite: 0, context: 0 }
}

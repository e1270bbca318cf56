import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RalphError } from '../core/errors.ts'
import { isWaveId } from '../core/events-file/record.ts'
import { RALPH_DIR } from '../core/events-file/target.ts'
import { stateFolder } from '../core/journal/paths.ts'
import type { CostSource } from '../core/run-event.ts'

/** One settled item of a wave, as it was kept. */
export interface SettledItem {
  readonly index: number
  readonly hat: string
  readonly status: string
  /** Null for a plain success. */
  readonly reason: string | null
  readonly duration_ms: number
  readonly events: readonly { readonly topic: string; readonly payload: string }[]
  readonly attempts: number
  /** Of all its attempts; null: unknown. */
  readonly cost_usd: number | null
  readonly cost_source: CostSource
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The settled items of a wave of any kept run, in index order, the wave open or merged. Throws `wave_unknown`. */
export function readWaveResults(place: Place, waveId: string): readonly SettledItem[] {
  const folder = findWave(place, waveId)
  if (folder === null) throw unknownWave(waveId)
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'outcome.json')))
    .map((name) => readItem(join(folder, name)))
    .sort((a, b) => a.index - b.index)
}

export function unknownWave(waveId: string): RalphError {
  return new RalphError('wave_unknown', `no kept run has a wave ${waveId}`, {
    hint: '`ralph events` shows the ids of a run, and the closing line of `ralph wave run` its own',
  })
}

/** Where the items of a wave are kept, in the folder of its run; null if no kept run has it. */
export function findWave({ env, cwd }: Place, waveId: string): string | null {
  if (!isWaveId(waveId)) return null
  const state = stateFolder(env)
  const roots = [...(state === null ? [] : [join(resolve(state), 'runs')]), join(cwd, RALPH_DIR, 'runs')]
  for (const root of roots) {
    for (const run of existsSync(root) ? readdirSync(root) : []) {
      const folder = join(root, run, 'waves', waveId)
      if (existsSync(folder)) return folder
    }
  }
  return null
}

function readItem(folder: string): SettledItem {
  const outcome = JSON.parse(readFileSync(join(folder, 'outcome.json'), 'utf8')) as KeptOutcome
  return {
    index: outcome.index,
    hat: outcome.hat,
    status: outcome.status,
    reason: outcome.reason,
    duration_ms: outcome.duration_ms,
    events: outcome.results.map(({ topic, file }) => ({
      topic,
      payload: readFileSync(join(folder, file), 'utf8'),
    })),
    attempts: outcome.attempts,
    cost_usd: outcome.cost_usd,
    cost_source: outcome.cost_source,
    input_tokens: outcome.input_tokens,
    output_tokens: outcome.output_tokens,
  }
}

/** The part of `outcome.json` that is read here. */
interface KeptOutcome extends Omit<SettledItem, 'events'> {
  readonly results: readonly { readonly topic: string; readonly file: string }[]
}

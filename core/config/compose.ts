import * as v from 'valibot'
import { err, ok, type Result } from '../result.ts'
import { createTopology } from '../topology.ts'
import type { KnownBackends } from './checks/backends.ts'
import { type Findings, join, NOTHING } from './checks/findings.ts'
import { check, checkObjective } from './checks.ts'
import { type ConfigFault, keyText } from './fault.ts'
import type { Layer } from './layer.ts'
import { mergeOver } from './layers.ts'
import { normalize } from './normalize.ts'
import { configSchema } from './schema.ts'
import type { Settings } from './settings.ts'
import { type Mapping, mappingAt, plain } from './tree.ts'

/** Everything that was read, lowest layer first. */
export interface Parts {
  readonly files: readonly Layer[]
  /** The files merged. */
  readonly base: Mapping
  readonly overrides: readonly Layer[]
  readonly flags: readonly Layer[]
  /** Faults and warnings that belong to no layer. */
  readonly aside: Findings
}

export interface Composed {
  readonly settings: Settings
  readonly tree: Mapping
  readonly warnings: readonly ConfigFault[]
  readonly suppressWarnings: boolean
}

/** Merges the layers into settings; fails with all faults of all layers. */
export function compose(parts: Parts, known: KnownBackends): Result<Composed, readonly ConfigFault[]> {
  const layers = [...parts.files, ...parts.overrides, ...parts.flags]
  const configured = mergeOver(parts.base, treesOf(parts.overrides))
  const tree = mergeOver(configured, treesOf(parts.flags))
  const raw = v.parse(configSchema, plain(tree))
  const settings = normalize(raw, [...(mappingAt(tree, ['hats'])?.entries.keys() ?? [])])
  const merged = { tree, raw, settings, topology: createTopology(settings.hats) }

  const layered = join([parts.aside, ...layers])
  const isComplete = layers.every(({ complete }) => complete) && parts.aside.faults.length === 0
  const whole = isComplete ? join([check(merged, known), checkObjective(configured)]) : NOTHING
  const reported = layers.flatMap(({ removed }) => removed.map(keyText))
  const news = whole.faults.filter(({ key }) => !isWithin(key, reported))
  const faults = [...layered.faults, ...news]
  if (faults.length > 0) return err(faults)
  const suppressWarnings = raw._suppress_warnings ?? false
  return ok({
    settings,
    tree,
    warnings: suppressWarnings ? [] : [...layered.warnings, ...whole.warnings],
    suppressWarnings,
  })
}

function treesOf(layers: readonly Layer[]): readonly Mapping[] {
  return layers.map(({ tree }) => tree)
}

/** True for a key at or below one that is reported already: `required` is no news where the value was wrong. */
function isWithin(key: string, reported: readonly string[]): boolean {
  return reported.some((one) => key === one || key.startsWith(`${one}.`) || key.startsWith(`${one}[`))
}

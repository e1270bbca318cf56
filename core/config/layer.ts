import { inertWarnings } from './compatibility.ts'
import { diagnose } from './diagnose.ts'
import type { Document } from './document.ts'
import type { ConfigFault } from './fault.ts'
import { resolveAliases } from './hats.ts'
import type { Field } from './schema/field.ts'
import { configSchema } from './schema.ts'
import { type KeyPath, type Mapping, mapping, type Origin } from './tree.ts'

/** One layer, checked by itself. */
export interface Layer {
  /** What is right about it. */
  readonly tree: Mapping
  /** Top-level keys of the file, the wrong ones included. */
  readonly given: Mapping
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly ConfigFault[]
  /** What was taken out because of faults. */
  readonly removed: readonly KeyPath[]
  /** False if a part of it could not be read at all: then nothing can be said of the whole. */
  readonly complete: boolean
}

const NOWHERE: Origin = { label: 'defaults', path: null }

/** A layer that says nothing. */
export const EMPTY_LAYER: Layer = layerOf(mapping({ origin: NOWHERE }), [])

/** A layer that could not be read. */
export function unreadable(faults: readonly ConfigFault[]): Layer {
  return { ...EMPTY_LAYER, faults, complete: false }
}

/** Checks a file or an argument against the schema. */
export function createLayer(schema: Field, document: Document): Layer {
  if (document.tree === null) return unreadable(document.faults)
  const { faults, sound, removed } = diagnose(schema, document.tree)
  const resolved = resolveAliases(sound)
  return {
    ...layerOf(resolved.tree, [...document.faults, ...faults, ...resolved.faults]),
    given: document.tree,
    warnings: document.warnings,
    removed,
  }
}

/** `layer` with warnings for its keys without effect. */
export function withInertWarnings(layer: Layer): Layer {
  return { ...layer, warnings: [...layer.warnings, ...inertWarnings(configSchema, layer.tree)] }
}

function layerOf(tree: Mapping, faults: readonly ConfigFault[]): Layer {
  return { tree, given: tree, faults, warnings: [], removed: [], complete: true }
}

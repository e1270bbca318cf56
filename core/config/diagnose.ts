import * as v from 'valibot'
import { type ConfigFault, keyFault, valueFault } from './fault.ts'
import type { Field } from './schema/field.ts'
import { type KeyPath, type Mapping, mapping, plain, without } from './tree.ts'

/** What is wrong with one layer by itself. */
export interface Diagnosis {
  readonly faults: readonly ConfigFault[]
  /** The layer without what is wrong, so that the rest can be checked in the same go. */
  readonly sound: Mapping
  /** What was taken out. */
  readonly removed: readonly KeyPath[]
}

/** Checks a layer against the schema; every fault is found, each with its place. */
export function diagnose(schema: Field, layer: Mapping): Diagnosis {
  const result = v.safeParse(schema, plain(layer))
  const faults: ConfigFault[] = []
  const removed: KeyPath[] = []
  let sound = layer
  for (const issue of result.issues ?? []) {
    const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))
    const ofKey = issue.path?.at(-1)?.origin === 'key'
    faults.push(ofKey ? keyFault(layer, path, issue.message) : valueFault(layer, path, issue.message))
    removed.push(path)
    sound = path.length === 0 ? mapping(layer.place) : without(sound, path)
  }
  return { faults, sound, removed }
}

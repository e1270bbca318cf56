import { unreachable } from '../result.ts'
import { type ConfigFault, faultAt, keyText } from './fault.ts'
import type { Field } from './schema/field.ts'
import { type KeyPath, keyPlaceOf, type Mapping, type Tree } from './tree.ts'

/** What is said of keys and flags of v2.10 that do nothing here. */
export const NO_EFFECT = 'accepted for compatibility, has no effect here'

/** One warning for each top-level section of a layer that holds keys without effect; it names all of them. */
export function inertWarnings(schema: Field, layer: Mapping): readonly ConfigFault[] {
  const bySection = new Map<string, KeyPath[]>()
  for (const path of inertPaths(schema, layer)) {
    const section = path.length > 1 ? String(path[0]) : ''
    bySection.set(section, [...(bySection.get(section) ?? []), path])
  }
  return [...bySection.values()].map((paths) =>
    faultAt(keyPlaceOf(layer, paths[0] ?? []), paths.map(keyText).join(', '), NO_EFFECT),
  )
}

/** Keys in `tree` that nothing reads. Of a section without any effect its keys, or itself if it has none. */
function inertPaths(field: Field, tree: Tree, path: KeyPath = []): readonly KeyPath[] {
  if (isInert(field) && (tree.kind !== 'mapping' || tree.entries.size === 0)) return [path]
  if (tree.kind !== 'mapping') return []
  const { shape } = field
  switch (shape.kind) {
    case 'inert':
      return [path]
    case 'section':
      return [...tree.entries].flatMap(([key, { value }]) => {
        const child = shape.entries[key]
        return child ? inertPaths(child, value, [...path, key]) : []
      })
    case 'named':
      return [...tree.entries].flatMap(([key, { value }]) => inertPaths(shape.value, value, [...path, key]))
    case 'either':
      return inertPaths(shape.section, tree, path)
    case 'list':
    case 'value':
    case 'refused':
      return []
    default:
      return unreachable(shape)
  }
}

/** True if nothing below the field has an effect. */
function isInert({ shape }: Field): boolean {
  switch (shape.kind) {
    case 'inert':
      return true
    case 'section':
      return Object.values(shape.entries).every(isInert)
    case 'named':
      return isInert(shape.value)
    case 'list':
      return isInert(shape.item)
    case 'either':
    case 'value':
    case 'refused':
      return false
    default:
      return unreachable(shape)
  }
}

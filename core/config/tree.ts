import { unreachable } from '../result.ts'

/**
 * A configuration as a tree of values that remember where they were written.
 * Layers are merged in this form, so that a fault found after merging still names its file and line.
 */
export type Tree = Mapping | List | Scalar

export interface Mapping {
  readonly kind: 'mapping'
  readonly place: Place
  /** In the order of the file: for hats this is routing order. */
  readonly entries: ReadonlyMap<string, Entry>
}

export interface Entry {
  /** Where the key stands. */
  readonly key: Place
  readonly value: Tree
}

export interface List {
  readonly kind: 'list'
  readonly place: Place
  readonly items: readonly Tree[]
}

export interface Scalar {
  readonly kind: 'scalar'
  readonly place: Place
  readonly value: unknown
}

/** Where a value was written. Lines and columns count from 1; values of the command line have none. */
export interface Place {
  readonly origin: Origin
  readonly line?: number
  readonly column?: number
}

export interface Origin {
  /** As shown to people: a path as it was given, `builtin:<name>`, or the argument itself. */
  readonly label: string
  /** Absolute path of the file; null for built-ins and the command line. */
  readonly path: string | null
  /** The file whose `import` brought this one in. */
  readonly importedBy?: Origin
}

/** Keys from the root to a value; items of a list by their number. */
export type KeyPath = readonly (string | number)[]

/** A mapping that was written at `place`. */
export function mapping(place: Place, entries: Iterable<readonly [string, Entry]> = []): Mapping {
  return { kind: 'mapping', place, entries: new Map(entries) }
}

/** A text, number, truth value or nothing that was written at `place`. */
export function scalar(value: unknown, place: Place): Scalar {
  return { kind: 'scalar', place, value }
}

/** The value at `path`, if there is one. A key set to nothing (`key:`) counts as not there. */
export function at(tree: Tree, path: KeyPath): Tree | undefined {
  const [key, ...rest] = path
  if (key === undefined) return tree.kind === 'scalar' && tree.value === null ? undefined : tree
  const child = childOf(tree, key)
  return child && at(child, rest)
}

/** The mapping at `path`, if there is one. */
export function mappingAt(tree: Tree, path: KeyPath): Mapping | undefined {
  const found = at(tree, path)
  return found?.kind === 'mapping' ? found : undefined
}

/** Where the value at `path` stands; where a part of the path is missing, the key of its nearest ancestor. */
export function placeOf(tree: Tree, path: KeyPath): Place {
  const [key, ...rest] = path
  if (key === undefined) return tree.place
  const child = childOf(tree, key)
  if (child === undefined) return tree.place
  return rest.length > 0 && childOf(child, rest[0]) === undefined
    ? keyPlaceOf(tree, [key])
    : placeOf(child, rest)
}

/** Where the key at `path` stands; for list items, where the item stands. */
export function keyPlaceOf(tree: Tree, path: KeyPath): Place {
  const parent = at(tree, path.slice(0, -1))
  const entry = parent?.kind === 'mapping' ? parent.entries.get(String(path.at(-1))) : undefined
  return entry?.key ?? placeOf(tree, path)
}

/** `upper` over `lower`: mappings key by key, everything else whole. An empty section takes nothing away. */
export function merge(lower: Mapping, upper: Mapping): Mapping {
  const entries = new Map(lower.entries)
  for (const [key, entry] of upper.entries) {
    const below = entries.get(key)?.value
    entries.set(key, { key: entry.key, value: below ? mergeValue(below, entry.value) : entry.value })
  }
  return { kind: 'mapping', place: upper.place, entries }
}

/** `tree` with `value` at `path`; mappings on the way are made where there are none. */
export function put(tree: Mapping, path: readonly string[], value: Tree, key: Place = value.place): Mapping {
  const [first, ...rest] = path
  if (first === undefined) return tree
  const below = tree.entries.get(first)?.value
  const next =
    rest.length === 0 ? value : put(below?.kind === 'mapping' ? below : mapping(key), rest, value, key)
  return { ...tree, entries: new Map(tree.entries).set(first, { key, value: next }) }
}

/** `tree` without the entry at `path`. What stands in a list takes the whole list along. */
export function without(tree: Mapping, path: KeyPath): Mapping {
  const [head, ...rest] = path
  const first = String(head)
  const entry = tree.entries.get(first)
  if (entry === undefined) return tree
  const entries = new Map(tree.entries)
  if (rest.length > 0 && entry.value.kind === 'mapping') {
    entries.set(first, { key: entry.key, value: without(entry.value, rest) })
  } else {
    entries.delete(first)
  }
  return { ...tree, entries }
}

/** Plain data, as a schema wants it. */
export function plain(tree: Tree): unknown {
  switch (tree.kind) {
    case 'mapping':
      return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, plain(entry.value)]))
    case 'list':
      return tree.items.map(plain)
    case 'scalar':
      return tree.value
    default:
      return unreachable(tree)
  }
}

function mergeValue(lower: Tree, upper: Tree): Tree {
  if (lower.kind !== 'mapping') return upper
  if (upper.kind === 'mapping') return merge(lower, upper)
  return upper.kind === 'scalar' && upper.value === null ? lower : upper
}

function childOf(tree: Tree, key: string | number | undefined): Tree | undefined {
  if (typeof key === 'number') return tree.kind === 'list' ? tree.items[key] : undefined
  return tree.kind === 'mapping' && key !== undefined ? tree.entries.get(key)?.value : undefined
}

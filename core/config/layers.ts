import { type Mapping, mapping, merge, type Origin, put, scalar, without } from './tree.ts'

/** Layers as they were read, each checked by itself. Lowest first: home, main, collection, overrides, flags. */
export interface Layers {
  readonly home: Mapping
  readonly main: Mapping
  /** What counts of the hat collection; null without `-H`. */
  readonly collection: Mapping | null
  /** `-c key=value`, in their order. */
  readonly overrides: readonly Mapping[]
  readonly flags: readonly Mapping[]
}

/** Flags of `run` that set a key. */
export interface ConfigFlags {
  readonly prompt?: string
  readonly promptFile?: string
  readonly backend?: string
  readonly model?: string
  readonly access?: string
  readonly maxIterations?: number
  readonly completionPromise?: string
}

/** The files together: layers 1 to 5. */
export function mergeFiles({ home, main, collection }: Omit<Layers, 'overrides' | 'flags'>): Mapping {
  let files = merge(home, main)
  if (collection) {
    for (const key of ['hats', 'events']) if (collection.entries.has(key)) files = without(files, [key])
    files = merge(files, collection)
  }
  return nestFlatKeys(files)
}

/** `upper` layers over `files`, in their order. */
export function mergeOver(files: Mapping, upper: readonly Mapping[]): Mapping {
  return upper.map(nestFlatKeys).reduce(merge, files)
}

/** The flags as layers of their own, so that faults name the flag. */
export function flagLayers(flags: ConfigFlags): readonly Mapping[] {
  const layer = (
    flag: string,
    path: readonly string[],
    value: string | number | undefined,
    shown = `${flag} ${value}`,
  ) => {
    if (value === undefined) return []
    const origin: Origin = { label: shown, path: null }
    return [put(mapping({ origin }), path, scalar(value, { origin }))]
  }
  return [
    ...layer('-p', ['event_loop', 'prompt'], flags.prompt, '-p'),
    // `-P -` is stdin, no file.
    ...layer('-P', ['event_loop', 'prompt_file'], flags.promptFile === '-' ? undefined : flags.promptFile),
    ...layer('-b', ['cli', 'backend'], flags.backend),
    ...layer('--model', ['cli', 'model'], flags.model),
    ...layer('--access', ['cli', 'access'], flags.access),
    ...layer('--max-iterations', ['event_loop', 'max_iterations'], flags.maxIterations),
    ...layer('--completion-promise', ['event_loop', 'completion_promise'], flags.completionPromise),
  ]
}

/** v1 keys and where they belong now. The flat value wins where both are set. */
const FLAT_KEYS = {
  agent: ['cli', 'backend'],
  prompt_file: ['event_loop', 'prompt_file'],
  completion_promise: ['event_loop', 'completion_promise'],
  max_iterations: ['event_loop', 'max_iterations'],
  max_runtime: ['event_loop', 'max_runtime_seconds'],
  max_cost: ['event_loop', 'max_cost_usd'],
} as const

function nestFlatKeys(layer: Mapping): Mapping {
  let nested = layer
  for (const [key, path] of Object.entries(FLAT_KEYS)) {
    const entry = layer.entries.get(key)
    if (entry === undefined) continue
    nested = without(nested, [key])
    const isSet = entry.value.kind !== 'scalar' || entry.value.value !== null
    if (isSet) nested = put(nested, path, entry.value, entry.key)
  }
  return nested
}

import { join } from 'node:path'
import { type ConfigFault, faultAt, keyText } from './fault.ts'
import { type KeyPath, keyPlaceOf, type Mapping, mappingAt, without } from './tree.ts'

/** What counts of a hat collection beside its hats and events; limits stay with the main config. */
const EVENT_LOOP_KEYS = [
  'completion_promise',
  'starting_event',
  'cancellation_promise',
  'required_events',
  'persistent',
  'enforce_hat_scope',
]
const OWN_KEYS = ['hats', 'events', 'event_loop', 'name', 'description']

/** What a hat collection contributes. */
export interface Picked {
  readonly tree: Mapping
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly ConfigFault[]
}

/**
 * Takes from a collection what counts there, and names what is left out.
 * @param given the file with its faults: it shows whether it is meant as a collection
 */
export function pickCollection(file: Mapping, given: Mapping): Picked {
  const foreign = [...file.entries.keys()].filter((key) => !OWN_KEYS.includes(key)).map((key) => [key])
  const limits = [...(mappingAt(file, ['event_loop'])?.entries.keys() ?? [])]
    .filter((key) => !EVENT_LOOP_KEYS.includes(key))
    .map((key) => ['event_loop', key])
  const isCollection = given.entries.has('hats') || given.entries.has('events')
  const leftOut = [...(isCollection ? foreign : []), ...limits]
  return {
    tree: [...foreign, ...limits, ['name'], ['description']].reduce<Mapping>(without, file),
    faults: isCollection ? [] : foreign.map((key) => notHere(file, [key], 'not allowed in a hat collection')),
    warnings:
      leftOut.length > 0
        ? [notHere(file, leftOut, 'ignored in a hat collection: the main config counts')]
        : [],
  }
}

/** Where a bare collection name is looked up, in this order. */
export function presetCandidates(
  name: string,
  folders: {
    readonly cwd: string
    readonly home: string | null
    readonly env: Readonly<Record<string, string | undefined>>
  },
): readonly string[] {
  return presetFolders(folders).flatMap((folder) => [
    join(folder, `${name}.yml`),
    join(folder, `${name}.yaml`),
  ])
}

/** Folders that may hold presets, the first one winning. */
export function presetFolders({
  cwd,
  home,
  env,
}: {
  readonly cwd: string
  readonly home: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}): readonly string[] {
  const folders = [join(cwd, 'presets')]
  if (env.XDG_CONFIG_HOME) folders.push(join(env.XDG_CONFIG_HOME, 'ralph', 'presets'))
  if (home) folders.push(join(home, '.config', 'ralph', 'presets'))
  if (env.RALPH_PRESETS_DIR) folders.push(env.RALPH_PRESETS_DIR)
  return [...new Set(folders)]
}

function notHere(file: Mapping, paths: readonly KeyPath[], text: string): ConfigFault {
  return faultAt(keyPlaceOf(file, paths[0] ?? []), paths.map(keyText).join(', '), text)
}

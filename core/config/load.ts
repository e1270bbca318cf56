import { basename, join } from 'node:path'
import { err, ok, type Result } from '../result.ts'
import type { BackendSummary } from './checks/backends.ts'
import { pickCollection, presetCandidates } from './collection.ts'
import { compose } from './compose.ts'
import { argumentFault, type ConfigFile, createDisk, type Disk, type Text } from './disk.ts'
import { readDocument } from './document.ts'
import { type ConfigFault, formatFault } from './fault.ts'
import { homeOf } from './home.ts'
import { importHats } from './import.ts'
import { createLayer, EMPTY_LAYER, type Layer, unreadable, withInertWarnings } from './layer.ts'
import { type ConfigFlags, flagLayers, mergeFiles } from './layers.ts'
import { isOverride, readOverride } from './override.ts'
import type { Field } from './schema/field.ts'
import { collectionSchema, configSchema } from './schema.ts'
import type { Settings } from './settings.ts'
import type { Mapping } from './tree.ts'

export type { BackendSummary } from './checks/backends.ts'
export type { ConfigFile } from './disk.ts'

export interface LoadRequest {
  /** Values of `-c`, in order: files and `key.path=value`. */
  readonly configArgs: readonly string[]
  /** Value of `-H`. */
  readonly hats?: string
  readonly flags: ConfigFlags
  readonly env: Readonly<Record<string, string | undefined>>
  /** The workspace, absolute. */
  readonly cwd: string
  /** Built-in hat collections, YAML text by name. */
  readonly presets: Readonly<Record<string, string>>
  /** All backends that there are, by name. */
  readonly backends: ReadonlyMap<string, BackendSummary>
  /** Names that will be backends one day, and why they are not yet. */
  readonly planned?: Readonly<Record<string, string>>
}

export interface Loaded {
  readonly settings: Settings
  /** One line each, in the form of an error; empty if the config suppresses them. */
  readonly warnings: readonly string[]
  /** Every file and built-in that was read, in order of reading. Paths are absolute, built-ins are `builtin:<name>`. */
  readonly files: readonly ConfigFile[]
  /** Absolute path of the main file, if there is one. */
  readonly mainFile: string | null
  readonly suppressWarnings: boolean
  /** The merged configuration with the place of every value: `placeOf(tree, ['cli', 'command']).origin.path`. */
  readonly tree: Mapping
}

/** Reads, merges and checks the whole configuration. Fails with all faults of all layers; creates no file. */
export async function loadSettings(request: LoadRequest): Promise<Result<Loaded, readonly ConfigFault[]>> {
  const disk = createDisk(request.cwd)
  const args = await sortConfigArgs(request.configArgs, disk)
  const home = await readHome(request, disk)
  const main = await readMain(args.files[0], request, disk)
  const collection = request.hats === undefined ? null : await readCollection(request.hats, request, disk)
  const files = [home, main.layer, ...(collection ? [collection] : [])].map(withInertWarnings)
  const base = mergeFiles({
    home: home.tree,
    main: main.layer.tree,
    collection: collection?.tree ?? null,
  })

  const overrides: Layer[] = []
  for (const argument of args.overrides) {
    const read = readOverride(argument, base)
    if (read.ok) overrides.push(withInertWarnings(await importHats(layerOfTree(read.value), disk)))
    else overrides.push(unreadable(read.error))
  }
  const flags = flagLayers(request.flags).map(layerOfTree)

  const composed = compose(
    { files, base, overrides, flags, aside: { faults: args.faults, warnings: args.warnings } },
    { backends: request.backends, planned: request.planned ?? {} },
  )
  if (!composed.ok) return composed
  const { settings, tree, warnings, suppressWarnings } = composed.value
  return ok({
    settings,
    warnings: warnings.map(formatFault),
    files: disk.read,
    mainFile: main.path,
    suppressWarnings,
    tree,
  })
}

// ---------------------------------------------------------------- which files

interface SortedArgs {
  readonly files: readonly string[]
  readonly overrides: readonly string[]
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly ConfigFault[]
}

async function sortConfigArgs(configArgs: readonly string[], disk: Disk): Promise<SortedArgs> {
  const files: string[] = []
  const overrides: string[] = []
  const faults: ConfigFault[] = []
  for (const argument of configArgs) {
    if (await disk.isFile(argument)) files.push(argument)
    else if (argument.startsWith('builtin:')) {
      faults.push(argumentFault(`-c ${argument}`, `built-in hat collections are given with -H ${argument}`))
    } else if (isOverride(argument)) overrides.push(argument)
    else files.push(argument)
  }
  const warnings = files
    .slice(1)
    .map((file) => argumentFault(`-c ${file}`, `ignored, the config file is ${files[0]}`))
  return { files, overrides, faults, warnings }
}

async function readHome({ env }: LoadRequest, disk: Disk): Promise<Layer> {
  const home = homeOf(env)
  if (home === null) return EMPTY_LAYER
  const path = join(home, '.ralph', 'config.yml')
  return (await disk.exists(path)) ? readLayer(configSchema, path, disk) : EMPTY_LAYER
}

async function readMain(
  named: string | undefined,
  { env }: LoadRequest,
  disk: Disk,
): Promise<{ readonly layer: Layer; readonly path: string | null }> {
  const file = named ?? (env.RALPH_CONFIG || undefined)
  if (file === undefined && !(await disk.exists('ralph.yml'))) return { layer: EMPTY_LAYER, path: null }
  const path = file ?? 'ralph.yml'
  return { layer: await readLayer(configSchema, path, disk), path: disk.absolute(path) }
}

async function readCollection(name: string, request: LoadRequest, disk: Disk): Promise<Layer> {
  const found = await findCollection(name, request, disk)
  if (!found.ok) return unreadable([argumentFault(`-H ${name}`, found.error)])
  const layer =
    'text' in found.value
      ? await readText(collectionSchema, found.value, disk)
      : await readLayer(collectionSchema, found.value.path, disk)
  if (!layer.complete) return layer
  const { tree, faults, warnings } = pickCollection(layer.tree, layer.given)
  return {
    ...layer,
    tree,
    faults: [...layer.faults, ...faults],
    warnings: [...layer.warnings, ...warnings],
  }
}

async function findCollection(
  name: string,
  { presets, cwd, env }: LoadRequest,
  disk: Disk,
): Promise<Result<Text | { readonly path: string }, string>> {
  if (name.startsWith('builtin:')) {
    const text = Object.entries(presets).find(([key]) => `builtin:${key}` === name)?.[1]
    if (text === undefined) {
      return err(
        `there is no such built-in hat collection; there are: ${Object.keys(presets).sort().join(', ')}`,
      )
    }
    disk.note(name, text)
    return ok({ text, origin: { label: name, path: null } })
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return err('hat collections from URLs are not available yet')
  if (await disk.isFile(name)) return ok({ path: name })
  if (basename(name) !== name || name === '') return err('no such file')
  const candidates = presetCandidates(name, { cwd, home: homeOf(env), env })
  for (const path of candidates) if (await disk.isFile(path)) return ok({ path })
  return err(`no hat collection of this name; looked for ${candidates.join(', ')}`)
}

// ---------------------------------------------------------------- one layer

async function readLayer(schema: Field, path: string, disk: Disk): Promise<Layer> {
  const file = await disk.open(path)
  return file.ok ? readText(schema, file.value, disk) : unreadable([file.error])
}

function readText(schema: Field, { text, origin }: Text, disk: Disk): Promise<Layer> {
  return importHats(createLayer(schema, readDocument(text, origin)), disk)
}

/** A layer that the command line gives. */
function layerOfTree(tree: Mapping): Layer {
  return createLayer(configSchema, { tree, faults: [], warnings: [] })
}

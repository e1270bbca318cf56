import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { presetFolders } from '../core/config/collection.ts'
import { homeOf } from '../core/config/home.ts'
import { readRegularFile } from '../core/regular-file.ts'
import { builtinPresets, hiddenPresets } from '../presets/index.ts'

/** A hat collection that `-H` takes by name: a built-in one as `builtin:<name>`, another as `<name>`. */
export interface Preset {
  readonly name: string
  /** Null for built-in ones. */
  readonly path: string | null
  readonly source: 'builtin' | 'file'
  readonly format: 'yaml'
  readonly description: string
}

/** More is no hat collection. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * The built-in presets, then those in the folders for presets; of two files with one name the first folder's.
 * Hidden ones only with `all`.
 */
export function findPresets(place: {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly all: boolean
}): readonly Preset[] {
  const found = new Map<string, Preset>()
  for (const folder of presetFolders({ ...place, home: homeOf(place.env) })) {
    for (const { name, path } of presetFiles(folder)) {
      if (found.has(name)) continue
      const description = descriptionOf(readRegularFile(path, MAX_BYTES).toString())
      found.set(name, { name, path, source: 'file', format: 'yaml', description })
    }
  }
  const builtins = Object.entries(builtinPresets)
    .filter(([name]) => place.all || !hiddenPresets.has(name))
    .map(
      ([name, text]): Preset => ({
        name,
        path: null,
        source: 'builtin',
        format: 'yaml',
        description: descriptionOf(text),
      }),
    )
  return [...builtins, ...[...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))]
}

function presetFiles(folder: string): readonly { readonly name: string; readonly path: string }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name))
      .map((entry) => ({ name: entry.name.replace(/\.ya?ml$/, ''), path: join(folder, entry.name) }))
      .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isFile())
  } catch {
    // A folder that is not there holds no presets.
    return []
  }
}

/** The collection's own description; empty if it has none or cannot be read. */
function descriptionOf(text: string): string {
  try {
    const root: unknown = parse(text)
    if (typeof root !== 'object' || root === null || !('description' in root)) return ''
    return typeof root.description === 'string' ? root.description : ''
  } catch {
    return ''
  }
}

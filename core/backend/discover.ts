import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { osCodeOf } from '../errors.ts'
import type { PluginFile } from './load.ts'
import { BACKEND_NAME } from './plugin-shape.ts'

/** What one folder offers, without loading anything. */
export interface Discovered {
  /** In order of name; each name once. */
  readonly files: readonly PluginFile[]
  /** Files that look like plugins and are not used, and why. */
  readonly remarks: readonly string[]
}

/**
 * Lists `<name>.ts`, `<name>.js`, `<name>/index.ts` and `<name>/index.js` of a folder; the first form of a name wins.
 * A folder that is not there is remarked on only if the user asked for it.
 */
export function discoverPlugins(folder: string, askedFor: boolean): Discovered {
  const listing = readFolder(folder)
  if (listing === null) return { files: [], remarks: askedFor ? [`${folder}: no such folder`] : [] }
  if (typeof listing === 'string') return { files: [], remarks: [listing] }
  const files = new Map<string, string>()
  const remarks: string[] = []
  for (const { name, path } of listing.flatMap((entry) => candidates(folder, entry)).sort(byForm)) {
    const taken = files.get(name)
    if (!BACKEND_NAME.test(name)) remarks.push(`${path}: "${name}" is no name for a backend (a-z, 0-9, -)`)
    else if (taken !== undefined) remarks.push(`${path}: not used, ${taken} has the same name`)
    else files.set(name, path)
  }
  return { files: [...files].map(([name, path]) => ({ name, path })), remarks }
}

interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
}

/** Null: not there. A text: why it cannot be read. */
function readFolder(folder: string): readonly FolderEntry[] | string | null {
  try {
    return readdirSync(folder).map((name) => ({ name, isFolder: isFolder(join(folder, name)) }))
  } catch (error) {
    const code = osCodeOf(error)
    return code === 'ENOENT' ? null : `${folder}: cannot be read (${code ?? error})`
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

const FORMS: readonly string[] = ['.ts', '.js', '/index.ts', '/index.js']

interface Candidate extends PluginFile {
  readonly form: number
}

/** Names with a dot (`types.d.ts`, `x.test.ts`, `.git`) and folders without an index are the plugin author's own. */
function candidates(folder: string, { name: entry, isFolder }: FolderEntry): Candidate[] {
  if (isFolder) {
    if (entry.includes('.') || entry === 'node_modules') return []
    const inside = readFolder(join(folder, entry))
    if (inside === null || typeof inside === 'string') return []
    return inside
      .filter(({ name }) => name === 'index.ts' || name === 'index.js')
      .map(({ name }) => candidate(entry, join(folder, entry, name), `/${name}`))
  }
  const [, name, suffix] = /^([^.]+)(\.ts|\.js)$/.exec(entry) ?? []
  if (name === undefined || suffix === undefined) return []
  return [candidate(name, join(folder, entry), suffix)]
}

function candidate(name: string, path: string, form: string): Candidate {
  return { name, path, form: FORMS.indexOf(form) }
}

function byForm(a: Candidate, b: Candidate): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return a.form - b.form
}

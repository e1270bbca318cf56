import { dirname, isAbsolute, join, resolve } from 'node:path'
import { messageOf, RalphError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { err, type Result } from '../result.ts'
import type { Backend } from './contract.ts'
import type { BackendPlugin } from './define.ts'
import { discoverPlugins } from './discover.ts'
import { completePlugin, type ExitHost, loadPlugin, type PluginFile } from './load.ts'

/** Row of the table of built-ins: what can be told without loading it. */
export interface BuiltinBackend {
  readonly summary: string
  /** As `traits.verified`. */
  readonly verified: boolean
  load(): Promise<{ readonly default: BackendPlugin }>
}

export interface Sources {
  /** Absolute path of this very program: `plugins` beside it is the first folder. */
  readonly executable: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Null: there is none. */
  readonly home: string | null
  /** Relative folders of plugins are meant from here. */
  readonly cwd: string
  /** `--plugins`, in order. */
  readonly pluginDirs: readonly string[]
  readonly builtins: Readonly<Record<string, BuiltinBackend>>
  /** Names that are known but not available yet, and why. */
  readonly planned: Readonly<Record<string, string>>
  readonly host: ExitHost
  /** Milliseconds that a file may take to load; 10 000 by default. */
  readonly deadlineMs?: number
}

export interface BackendEntry {
  readonly name: string
  readonly source: 'builtin' | 'file'
  /** Of files. */
  readonly path?: string
  /** Lies in the workspace's own folder, and is not loaded unless it is trusted. */
  readonly ofWorkspace?: true
  /** Of built-ins; a file tells when it is loaded. */
  readonly summary?: string
  readonly verified?: boolean
}

/** All backends by name, none of them loaded. */
export interface Registry {
  /** Sorted. */
  names(): readonly string[]
  entries(): readonly BackendEntry[]
  /** Files that are not used, and why. */
  remarks(): readonly string[]
  /** Loads exactly one, once. Codes: `backend_unknown`, `backend_planned`, `plugin_untrusted`, and those of `loadPlugin`. */
  load(name: string): Promise<Result<Backend, RalphError>>
  /** The same backends, where these of the workspace may be loaded too. */
  trusting(names: readonly string[]): Registry
}

/** Lists the built-ins, then the folders of plugins in their order; the first of a name wins. Loads nothing. */
export function discoverBackends(sources: Sources): Registry {
  const entries = new Map<string, BackendEntry>()
  const remarks: string[] = []
  for (const [name, { summary, verified }] of Object.entries(sources.builtins))
    entries.set(name, { name, source: 'builtin', summary, verified })
  for (const [folder, by] of pluginFolders(sources)) {
    const found = discoverPlugins(folder, by === 'user')
    remarks.push(...found.remarks)
    const own = by === 'workspace' ? ({ ofWorkspace: true } as const) : {}
    for (const { name, path } of found.files) {
      const taken = entries.get(name)
      if (taken === undefined) entries.set(name, { name, source: 'file', path, ...own })
      else if (taken.path !== path)
        remarks.push(`${path}: not used, ${taken.path ?? 'a built-in backend'} has the same name`)
    }
  }
  return createRegistry({ entries, remarks, sources, trusted: new Set() })
}

function createRegistry(of: {
  readonly entries: ReadonlyMap<string, BackendEntry>
  readonly remarks: readonly string[]
  readonly sources: Sources
  /** Names of workspace plugins that may be loaded. */
  readonly trusted: ReadonlySet<string>
}): Registry {
  const { entries, remarks, sources, trusted } = of
  const names = [...entries.keys()].sort()
  const loading = new Map<string, Promise<Result<Backend, RalphError>>>()

  return {
    names: () => names,
    entries: () => names.flatMap((name) => entries.get(name) ?? []),
    remarks: () => remarks,
    load(name) {
      const entry = entries.get(name)
      if (entry?.ofWorkspace && !trusted.has(name)) return Promise.resolve(err(untrustedPlugin(entry)))
      const begun = loading.get(name) ?? loadEntry(name, entry, names, sources)
      loading.set(name, begun)
      return begun
    },
    trusting: (more) => createRegistry({ ...of, trusted: new Set([...trusted, ...more]) }),
  }
}

/** Who names a folder of plugins: the installation, the user of this command, or the workspace. */
type NamedBy = 'installation' | 'user' | 'workspace'

/** In order of precedence, each once. The workspace comes last, so that it never stands in for what the user named. */
function pluginFolders({ executable, env, home, cwd, pluginDirs }: Sources): ReadonlyMap<string, NamedBy> {
  const xdg = env.XDG_CONFIG_HOME
  const config = xdg !== undefined && isAbsolute(xdg) ? xdg : home === null ? null : join(home, '.config')
  const named = [...pluginDirs, ...(env.RALPH_PLUGINS_DIR ? [env.RALPH_PLUGINS_DIR] : [])]
  const folders: readonly (readonly [string, NamedBy])[] = [
    [join(dirname(executable), 'plugins'), 'installation'],
    ...(config === null ? [] : [[join(config, 'ralph', 'plugins'), 'installation'] as const]),
    ...named.map((folder) => [resolve(cwd, folder), 'user'] as const),
    [join(cwd, '.ralph', 'plugins'), 'workspace'],
  ]
  const first = new Map<string, NamedBy>()
  for (const [folder, by] of folders) if (!first.has(folder)) first.set(folder, by)
  return first
}

async function loadEntry(
  name: string,
  entry: BackendEntry | undefined,
  names: readonly string[],
  sources: Sources,
): Promise<Result<Backend, RalphError>> {
  const why = sources.planned[name]
  if (entry === undefined) return err(why === undefined ? unknownBackend(name, names) : planned(name, why))
  if (entry.path !== undefined)
    return loadPlugin({ name, path: entry.path }, sources.host, sources.deadlineMs)
  return loadBuiltin({ name, path: 'built in' }, sources.builtins[name])
}

async function loadBuiltin(
  file: PluginFile,
  builtin: BuiltinBackend | undefined,
): Promise<Result<Backend, RalphError>> {
  if (builtin === undefined) throw new Error(`no built-in backend ${file.name}`)
  try {
    return completePlugin(await builtin.load(), file)
  } catch (error) {
    throw new Error(`built-in backend ${file.name}: ${messageOf(error)}`, { cause: error })
  }
}

function untrustedPlugin({ name, path }: BackendEntry): RalphError {
  return new RalphError('plugin_untrusted', `untrusted: plugin "${name}" (${path}) is not loaded`, {
    hint: '`ralph trust` shows what it is, and keeps your word for it',
  })
}

function unknownBackend(name: string, names: readonly string[]): RalphError {
  const guess = nearest(name, names)
  return new RalphError('backend_unknown', `unknown backend "${name}"; known: ${names.join(', ')}`, {
    hint: guess === null ? '`ralph plugins` lists what is known' : `did you mean "${guess}"?`,
  })
}

function planned(name: string, why: string): RalphError {
  return new RalphError('backend_planned', `backend "${name}" is not available yet: ${why}`)
}

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
  readonly home: string
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
  /** Loads exactly one, once. Codes: `backend_unknown`, `backend_planned`, and those of `loadPlugin`. */
  load(name: string): Promise<Result<Backend, RalphError>>
}

/** Lists the built-ins, then the folders of plugins in their order; the first of a name wins. Loads nothing. */
export function discoverBackends(sources: Sources): Registry {
  const entries = new Map<string, BackendEntry>()
  const remarks: string[] = []
  for (const [name, { summary, verified }] of Object.entries(sources.builtins))
    entries.set(name, { name, source: 'builtin', summary, verified })
  for (const [folder, askedFor] of pluginFolders(sources)) {
    const found = discoverPlugins(folder, askedFor)
    remarks.push(...found.remarks)
    for (const { name, path } of found.files) {
      const taken = entries.get(name)
      if (taken === undefined) entries.set(name, { name, source: 'file', path })
      else if (taken.path !== path)
        remarks.push(`${path}: not used, ${taken.path ?? 'a built-in backend'} has the same name`)
    }
  }
  const names = [...entries.keys()].sort()
  const loading = new Map<string, Promise<Result<Backend, RalphError>>>()

  return {
    names: () => names,
    entries: () => names.flatMap((name) => entries.get(name) ?? []),
    remarks: () => remarks,
    load(name) {
      const begun = loading.get(name) ?? loadEntry(name, entries.get(name), names, sources)
      loading.set(name, begun)
      return begun
    },
  }
}

/** In order of precedence, each once, with whether the user named it. */
function pluginFolders({ executable, env, home, cwd, pluginDirs }: Sources): ReadonlyMap<string, boolean> {
  const xdg = env.XDG_CONFIG_HOME
  const config = xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.config')
  const fromEnv = env.RALPH_PLUGINS_DIR ? [env.RALPH_PLUGINS_DIR] : []
  return new Map([
    [join(dirname(executable), 'plugins'), false],
    [join(config, 'ralph', 'plugins'), false],
    ...[...pluginDirs, ...fromEnv].map((folder) => [resolve(cwd, folder), true] as const),
  ])
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

function unknownBackend(name: string, names: readonly string[]): RalphError {
  const guess = nearest(name, names)
  return new RalphError('backend_unknown', `unknown backend "${name}"; known: ${names.join(', ')}`, {
    hint: guess === null ? '`ralph plugins` lists what is known' : `did you mean "${guess}"?`,
  })
}

function planned(name: string, why: string): RalphError {
  return new RalphError('backend_planned', `backend "${name}" is not available yet: ${why}`)
}

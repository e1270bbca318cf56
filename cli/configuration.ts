import { discoverBackends, type Registry } from '../core/backend/registry.ts'
import { formatFault } from '../core/config/fault.ts'
import { homeOf } from '../core/config/home.ts'
import { type BackendSummary, type Loaded, loadSettings } from '../core/config/load.ts'
import { RalphError } from '../core/errors.ts'
import { builtins, planned } from '../plugins/index.ts'
import { builtinPresets } from '../presets/index.ts'

export interface ConfigurationRequest {
  /** `-c`, in order. */
  readonly config: readonly string[]
  /** `-H`. */
  readonly hats: string | undefined
  /** Flags that outrank the config. */
  readonly flags: Parameters<typeof loadSettings>[0]['flags']
  /** `--plugins`. */
  readonly plugins: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Configuration {
  readonly loaded: Loaded
  readonly registry: Registry
}

/** The settings of a command and the backends that there are. Throws `RalphError` `config` with all faults of all layers. */
export async function loadConfiguration(request: ConfigurationRequest): Promise<Configuration> {
  const registry = findBackends(request)
  const loaded = await loadSettings({
    configArgs: request.config,
    ...(request.hats === undefined ? {} : { hats: request.hats }),
    flags: request.flags,
    env: request.env,
    cwd: request.cwd,
    presets: builtinPresets,
    backends: await summaries(registry),
    planned,
  })
  if (!loaded.ok) throw new RalphError('config', loaded.error.map(formatFault).join('\n'))
  return { loaded: loaded.value, registry }
}

/** All backends by name; none of the files is loaded. */
export function findBackends(request: Pick<ConfigurationRequest, 'plugins' | 'cwd' | 'env'>): Registry {
  const { env, cwd } = request
  return discoverBackends({
    executable: process.execPath,
    env,
    home: homeOf(env),
    cwd,
    pluginDirs: request.plugins,
    builtins,
    planned,
    host: process,
  })
}

/** What the config check must know: of built-ins their traits, of files that they are there. */
async function summaries(registry: Registry): Promise<ReadonlyMap<string, BackendSummary>> {
  const found = new Map<string, BackendSummary>()
  for (const { name, source } of registry.entries()) {
    if (source === 'file') {
      found.set(name, 'unloaded')
      continue
    }
    const backend = await registry.load(name)
    if (!backend.ok) throw backend.error
    const { takesModel, effort, reportsCost, reportsTokens } = backend.value.traits
    const levels = effort === undefined ? {} : { effort }
    found.set(name, { takesModel, ...levels, reportsCost, reportsTokens })
  }
  return found
}

import { createLook } from '../../core/backend/look.ts'
import type { Registry } from '../../core/backend/registry.ts'
import { homeOf } from '../../core/config/home.ts'
import type { Loaded } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import type { Result } from '../../core/result.ts'
import type { Executable } from '../../core/trust/executable.ts'
import { findExecutables } from '../../core/trust/find.ts'
import { fingerprint } from '../../core/trust/fingerprint.ts'
import { createContents } from './contents.ts'
import { createInside } from './inside.ts'
import { openTrustStore, type TrustStore } from './store.ts'

export interface SurveyRequest {
  /** Null: only the plugins are of interest. */
  readonly config: { readonly settings: Settings; readonly tree: Loaded['tree'] } | null
  readonly registry: Registry
  /** Names of the backends that may play; null: whichever there are. */
  readonly backends: ReadonlySet<string> | null
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Surveyed {
  readonly executable: Executable
  readonly fingerprint: string
  /** The user's word for exactly this is kept. */
  readonly kept: boolean
}

export interface Survey {
  readonly all: readonly Surveyed[]
  /** Or why no word can be kept. */
  readonly store: Result<TrustStore, string>
}

/** What the workspace would have this machine execute, and what of it is trusted already. Executes and writes nothing. */
export function surveyTrust(request: SurveyRequest): Survey {
  const { config, registry, backends, cwd, env } = request
  const home = homeOf(env)
  const isInside = createInside(cwd, home)
  const plugins = registry
    .entries()
    .flatMap(({ name, path, ofWorkspace }) => (ofWorkspace && path !== undefined ? [{ name, path }] : []))
  const executables =
    config === null
      ? plugins.map((plugin) => ({ kind: 'plugin', ...plugin }) as const)
      : findExecutables({ ...config, plugins, backends, isInside })
  const store = openTrustStore({ env, workspace: cwd, home, isInside })
  const { which } = createLook({ env, uid: 0 })
  const contents = createContents({ workspace: cwd, isInside, which })
  const all = executables.map((executable) => {
    const print = fingerprint(executable, contents(executable))
    return { executable, fingerprint: print, kept: store.ok && store.value.has(print) }
  })
  return { all, store }
}

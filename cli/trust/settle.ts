import type { Registry } from '../../core/backend/registry.ts'
import { RalphError } from '../../core/errors.ts'
import type { Palette } from '../view/colour.ts'
import { renderExecutable, renderExecutables, renderWord } from '../view/trust.ts'
import { askYesNo, canAsk } from './question.ts'
import { type Surveyed, type SurveyRequest, surveyTrust } from './survey.ts'

export interface TrustRequest extends SurveyRequest {
  /** `--trust`. */
  readonly said: boolean
  /** Nothing but plugins would be executed, and nothing may be written. */
  readonly dryRun: boolean
  /** The flags that the message gives to `ralph trust`, so that it looks at the same configuration. */
  readonly flags: TrustFlags
  readonly paint: Palette
  readonly warn: (text: string) => void
}

export interface TrustFlags {
  readonly config: readonly string[]
  readonly hats: string | undefined
  readonly backend: string | undefined
  readonly plugins: readonly string[]
}

/**
 * Lets a run go on only with the user's word for all that the workspace would have executed: given before, given now at
 * the terminal, or by flag or variable. Returns the registry, which may now load the plugins of the workspace that are
 * used. Throws `RalphError` `untrusted`.
 */
export function settleTrust(request: TrustRequest): Registry {
  const { registry, said, dryRun, env, cwd, paint } = request
  const { all, store } = surveyTrust(request)
  const needed = dryRun ? all.filter(({ executable }) => executable.kind === 'plugin') : all
  const open = needed.filter(({ kept }) => !kept)
  if (open.length > 0 && !said && env.RALPH_TRUST !== '1') {
    const shown = renderExecutables(executablesOf(open), cwd, paint)
    if (dryRun || !canAsk()) throw untrusted(shown, request.flags)
    if (!askYesNo(`Files of this workspace say what runs here:\n${shown}Run it?`)) {
      throw new RalphError('untrusted', 'not trusted: nothing was started')
    }
    if (store.ok) store.value.keep(open.map(wordOf))
    else request.warn(`your word counts only this once: ${store.error}`)
  }
  return registry.trusting(
    needed.flatMap(({ executable }) => (executable.kind === 'plugin' ? executable.name : [])),
  )
}

/** The registry that may load those plugins of the workspace for which the user's word is kept, or given by the variable. */
export function trustKept(registry: Registry, request: Pick<SurveyRequest, 'cwd' | 'env'>): Registry {
  const { all } = surveyTrust({ ...request, config: null, registry, backends: null })
  const trusted = all.filter(({ kept }) => kept || request.env.RALPH_TRUST === '1')
  return registry.trusting(
    trusted.flatMap(({ executable }) => (executable.kind === 'plugin' ? executable.name : [])),
  )
}

/** As the store keeps it. */
export function wordOf({ executable, fingerprint }: Surveyed): { fingerprint: string; what: string } {
  return { fingerprint, what: renderExecutable(executable) }
}

function executablesOf(surveyed: readonly Surveyed[]) {
  return surveyed.map(({ executable }) => executable)
}

function untrusted(shown: string, { config, hats, backend, plugins }: TrustFlags): RalphError {
  const flags = [
    ...config.flatMap((value) => ['-c', value]),
    ...(hats === undefined ? [] : ['-H', hats]),
    ...(backend === undefined ? [] : ['-b', backend]),
    ...plugins.flatMap((folder) => ['--plugins', folder]),
  ]
  const command = ['ralph', 'trust', ...flags].map(renderWord).join(' ')
  return new RalphError(
    'untrusted',
    `files of this workspace say what runs here, and you have not trusted them yet:\n${shown.trimEnd()}`,
    {
      hint: `\`${command}\` keeps your word until one of them changes; --trust or RALPH_TRUST=1 gives it once`,
    },
  )
}

import type { Settings } from '../../core/config/settings.ts'
import type { BackendFacts, Rules } from '../../core/run/state.ts'
import type { Cast, Part } from '../cast.ts'

/** Backends that do not borrow the entry of `claude` (contract/loop §2.3). */
const OWN_DEFAULTS: ReadonlySet<string> = new Set(['gemini', 'kiro', 'codex', 'amp'])
const INACTIVITY_SECONDS = 900

/** What of settings and cast the fold reads. */
export function rulesFor(settings: Settings, cast: Cast): Rules {
  return {
    eventLoop: settings.eventLoop,
    features: settings.features,
    backends: Object.fromEntries([...cast.parts].map(([hat, part]) => [hat, factsOf(settings, part)])),
  }
}

function factsOf({ adapters }: Settings, { backend }: Part): BackendFacts {
  const own = adapters[backend.name]
  const entry = own ?? (OWN_DEFAULTS.has(backend.name) ? undefined : adapters.claude)
  return {
    name: backend.name,
    output: backend.traits.output,
    contextWindow: backend.traits.contextWindow,
    ...(own?.price === undefined ? {} : { price: own.price }),
    inactivitySeconds: entry?.timeoutSeconds ?? INACTIVITY_SECONDS,
  }
}

import { adapterFor } from '../../core/config/adapters.ts'
import type { Settings } from '../../core/config/settings.ts'
import type { BackendFacts, Rules } from '../../core/run/state.ts'
import type { Cast, Part } from '../cast.ts'

/** What of settings and cast the fold reads. */
export function rulesFor(settings: Settings, cast: Cast): Rules {
  return {
    eventLoop: settings.eventLoop,
    features: settings.features,
    backends: Object.fromEntries([...cast.parts].map(([hat, part]) => [hat, factsOf(settings, part)])),
  }
}

function factsOf({ adapters }: Settings, { backend }: Part): BackendFacts {
  const { timeoutSeconds, price } = adapterFor(adapters, backend.name)
  return {
    name: backend.name,
    output: backend.traits.output,
    contextWindow: backend.traits.contextWindow,
    ...(price === undefined ? {} : { price }),
    inactivitySeconds: timeoutSeconds,
  }
}

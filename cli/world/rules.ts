import { adapterFor } from '../../core/config/adapters.ts'
import { COMMAND_BACKEND } from '../../core/config/names.ts'
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

function factsOf({ adapters }: Settings, { backend, options }: Part): BackendFacts {
  const { timeoutSeconds, price } = adapterFor(adapters, backend.name)
  return {
    name: backend.name,
    ...(backend.name === COMMAND_BACKEND && options.command !== undefined
      ? { command: options.command }
      : {}),
    ...(options.model === undefined ? {} : { model: options.model }),
    output: backend.traits.output,
    contextWindow: backend.traits.contextWindow,
    ...(price === undefined ? {} : { price }),
    inactivitySeconds: timeoutSeconds,
    // Of a program of the user's own nothing is known.
    startGapMs: options.command === undefined ? backend.traits.startGapMs : 0,
    ...(backend.setup?.login === undefined ? {} : { login: backend.setup.login.how }),
  }
}

import type { Player, Work } from '../wave/wave.ts'
import type { BackendFacts, State } from './state.ts'

/** What the fold knows of the backend that plays a work's hat. */
export function backendOf(state: State, work: Pick<Work, 'hat'>): BackendFacts | undefined {
  return state.rules.backends[work.hat] ?? state.rules.backends['']
}

/** Who an agent of this backend is, for the keys of items: a command of the user's own is a program of its own. */
export function playerOf({ name, command, model }: BackendFacts): Player {
  return { backend: command === undefined ? name : `${name} ${command}`, model: model ?? null }
}

import type { Work } from '../wave/wave.ts'
import type { BackendFacts, State } from './state.ts'

/** What the fold knows of the backend that plays a work's hat. */
export function backendOf(state: State, work: Pick<Work, 'hat'>): BackendFacts | undefined {
  return state.rules.backends[work.hat] ?? state.rules.backends['']
}

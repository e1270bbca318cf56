import type { AgentEnd } from '../agent/end.ts'
import type { AccountTrouble } from '../run-event.ts'
import type { Work } from '../wave/wave.ts'
import { backendOf } from './backends.ts'
import type { State } from './state.ts'

/** The trouble with an account that an agent ended with, which no retry cures; null: another end. `at`: wall clock. */
export function accountTrouble(
  state: State,
  work: Pick<Work, 'hat'>,
  of: { end: AgentEnd; at: number },
): AccountTrouble | null {
  const { failure } = of.end
  if (failure?.class !== 'auth' && failure?.class !== 'quota') return null
  const { name = '', login } = backendOf(state, work) ?? {}
  return {
    backend: name,
    class: failure.class,
    ...(login === undefined ? {} : { login }),
    ...(failure.retryAfterMs === undefined ? {} : { retry_at: of.at + failure.retryAfterMs }),
  }
}

import type { HatId } from '../hat.ts'
import { COORDINATOR } from './inbox.ts'
import type { Letter, Loop } from './loop.ts'
import type { State } from './state.ts'

export interface Selection {
  /** Active hats, first one leading; empty: the coordinator. */
  readonly hats: readonly HatId[]
  /** Hats that lose their letters because their activations are used up. */
  readonly exhausted: readonly HatId[]
}

/**
 * Who acts in the next iteration (contract/loop §6): the hats that have letters, in the order of these.
 * Kickoff letters count only if nothing else is pending.
 */
export function selectHats(state: State, loop: Loop): Selection {
  const exhausted = [...loop.inboxes.keys()].filter((hat) => isExhausted(state, hat))
  const letters: { hat: HatId; letter: Letter }[] = [...loop.inboxes]
    .filter(([hat]) => !exhausted.includes(hat))
    .flatMap(([hat, inbox]) => inbox.map((letter) => ({ hat, letter })))
  // The notice of exhaustion takes part in this same selection, after all that is there.
  const notices = exhausted.filter((hat) => !state.exhausted.has(hat))
  const receivers = notices.map((hat) => state.topology.receiver(`${hat}.exhausted`)?.id ?? COORDINATOR)

  const real = letters.filter(({ letter }) => !isKickoff(letter)).sort((a, b) => a.letter.n - b.letter.n)
  const order = [...real.map(({ hat }) => hat), ...receivers]
  const kickoffs = letters.filter(({ letter }) => isKickoff(letter)).map(({ hat }) => hat)
  const active = order.length > 0 ? order : kickoffs
  return {
    hats: [...new Set(active)].filter((hat) => hat !== COORDINATOR && !isExhausted(state, hat)),
    exhausted,
  }
}

export function isKickoff(letter: Letter): boolean {
  return letter.kind === 'event' && letter.kickoff
}

function isExhausted(state: State, hat: HatId): boolean {
  const limit = state.topology.hat(hat)?.maxActivations
  return limit !== undefined && (state.activations.get(hat) ?? 0) >= limit
}

import type { Journal } from '../journal/journal.ts'
import { absorb } from './absorb.ts'
import { decide } from './decide.ts'
import type { Fact, FactBody } from './fact.ts'
import { intended } from './intended.ts'
import { narrate } from './narrate.ts'
import type { State, StopReason } from './state.ts'
import type { World } from './world.ts'

/**
 * Runs until `decide` says that the run has ended. The only `while` of the program:
 * it turns when decide permits something, and else waits for what happens next.
 */
export async function run(world: World, journal: Journal, state: State): Promise<StopReason> {
  while (true) {
    const actions = decide(state, world.clock.now())
    if (actions.length === 0) {
      record({ world, journal, state }, await world.inbox.drain())
      continue
    }
    record({ world, journal, state }, actions.map(intended))
    for (const action of actions) {
      if (action.kind === 'end') return action.reason
      world.start(action, state)
    }
  }
}

/** Makes facts durable in one write, then believes them, then tells of them. */
export function record(
  of: { world: World; journal: Journal; state: State },
  bodies: readonly FactBody[],
): void {
  const { world, journal, state } = of
  const { wall, mono } = world.clock.now()
  const facts = bodies.map((body): Fact => ({ ...body, at: wall, mono }))
  journal.append(facts)
  for (const fact of facts) {
    absorb(state, fact)
    for (const event of narrate(state, fact, world.read)) world.report(event)
  }
}

import { isSystemError, messageOf, RalphError } from '../../core/errors.ts'
import type { Journal } from '../../core/journal/journal.ts'
import type { FactBody } from '../../core/run/fact.ts'
import { narrate } from '../../core/run/narrate.ts'
import { record, run } from '../../core/run/run.ts'
import type { State, StopReason } from '../../core/run/state.ts'
import { listenForSignals } from '../signals.ts'
import type { Context } from './context.ts'
import { followPauses } from './pauses.ts'
import { createWorld } from './world.ts'

export interface Session {
  readonly context: Context
  readonly journal: Journal
  readonly state: State
  /** Facts with which this invocation begins. */
  readonly first: readonly FactBody[]
}

/** Runs to the end with signals under control; whatever happens, nothing is left running. */
export async function runSession({ context, journal, state, first }: Session): Promise<StopReason> {
  const world = createWorld(context)
  using _signals = listenForSignals({
    end: (signal) => context.mailbox.push({ type: 'stop.asked', how: 'now', signal }),
    force: () => world.kill(),
  })
  using _pauses = followPauses(state)
  try {
    record({ world, journal, state }, first)
    return await run(world, journal, state)
  } catch (error) {
    // The journal cannot be written: nothing further can be believed, and the run ends here.
    world.kill()
    if (!isSystemError(error) && !(error instanceof RalphError)) throw error
    const message = messageOf(error)
    const iteration = state.loop?.iteration ?? 0
    context.report({ type: 'error', iteration, code: 'io_error', message, recoverable: false })
    const { wall, mono } = world.clock.now()
    const ended = { type: 'run.ended', reason: 'io_error', at: wall, mono } as const
    for (const event of narrate(state, ended, world.read)) context.report(event)
    return 'io_error'
  } finally {
    await world.close(state)
    context.reaper?.dismiss()
    journal.close()
  }
}

import type { ControlTopics } from '../control.ts'
import type { State } from './state.ts'

/** Topics that end the run, by its config. */
export function controlTopics(state: Pick<State, 'rules'>): ControlTopics {
  const { completionPromise, cancellationPromise } = state.rules.eventLoop
  return {
    completion: completionPromise,
    ...(cancellationPromise === undefined ? {} : { cancellation: cancellationPromise }),
  }
}

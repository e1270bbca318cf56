import type { AgentEnd } from '../agent/end.ts'
import { type ControlTopics, isControlPattern } from '../control.ts'
import type { Hat } from '../hat.ts'
import { errorText } from './outcome.ts'
import type { Nudge, Outcome, Work } from './wave.ts'

/**
 * Whether a worker is asked once more for a result that it forgot (contract/waves §8.1 `empty`): it ended well, there is a
 * topic for its result, its conversation can be gone on with, and it was not asked before.
 */
export function nudgeFor(of: {
  readonly work: Work
  readonly end: AgentEnd
  readonly hat: Hat
  readonly control: ControlTopics
  readonly outcome: Outcome
}): Nudge | null {
  const { work, end, hat, control, outcome } = of
  if (outcome.status !== 'empty' || work.nudge !== null || end.session === undefined) return null
  if (hat.publishes.every((topic) => isControlPattern(control, topic))) return null
  return {
    resume: { session: end.session, usage: end.usage, costUsd: end.costUsd },
    before: outcome,
  }
}

/** What an item comes to whose worker was asked once more: the result, if that brought one, else what it was before. */
export function afterNudge({ before }: Nudge, outcome: Outcome): Outcome {
  if (outcome.class !== 'failure') return { ...outcome, remarks: [...outcome.remarks, ASKED] }
  const { durationMs } = outcome
  return { ...before, durationMs, remarks: [...before.remarks, `${ASKED}: ${errorText(outcome)}`] }
}

const ASKED = 'asked once more for its result'

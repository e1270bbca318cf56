import type { Role } from '../../../core/backend/contract.ts'
import { type Actor, scriptNamesOf } from '../actor.ts'
import type { Step } from '../step.ts'
import type { Part, Script } from './schema.ts'

/** What decides between the branches of a script. */
export interface Cue {
  readonly actor: Actor
  /** Starts of this actor in the run, this one included. */
  readonly start: number
  /** From 1. */
  readonly attempt: number
  /** In the wave, from 0; null outside. */
  readonly index: number | null
}

export function cueOf(role: Role, actor: Actor, start: number): Cue {
  return { actor, start, attempt: role.attempt, index: role.wave?.index ?? null }
}

/** The steps that a script tells for this cue, or null if it leaves the actor to itself. */
export function chooseSteps(script: Script, cue: Cue, hats: readonly string[]): readonly Step[] | null {
  for (const name of scriptNamesOf(cue.actor, hats)) {
    const part = script.hats[name]
    if (part !== undefined) return stepsOf(part, cue)
  }
  return null
}

function stepsOf(part: Part, cue: Cue): readonly Step[] | null {
  if (isSteps(part)) return part
  const { items, attempts, turns, steps } = part
  const branch =
    (cue.index === null ? undefined : items?.[cue.index]) ??
    attempts?.[cue.attempt] ??
    turns?.[cue.start - 1] ??
    steps ??
    turns?.at(-1)
  return branch === undefined ? null : stepsOf(branch, cue)
}

function isSteps(part: Part): part is readonly Step[] {
  return Array.isArray(part)
}

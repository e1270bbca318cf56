import type { Role } from '../../../core/backend/contract.ts'
import { type Actor, scriptNamesOf } from '../actor.ts'
import type { Step } from '../step.ts'
import type { Branches, Part, Script } from './schema.ts'

/** What decides between the branches of a script. */
export interface Cue {
  readonly actor: Actor
  /** Starts of this actor in the run, this one included. */
  readonly start: number
  /** From 1. */
  readonly attempt: number
  /** In the wave, from 0; null outside. */
  readonly index: number | null
  /** It is asked once more for the result that it forgot. */
  readonly nudged: boolean
}

export function cueOf(role: Role, actor: Actor, start: number, nudged: boolean): Cue {
  return { actor, start, attempt: role.attempt, index: role.wave?.index ?? null, nudged }
}

/** The steps that a script tells for this cue, or null if it leaves the actor to itself. */
export function chooseSteps(script: Script, cue: Cue, hats: readonly string[]): readonly Step[] | null {
  const part = partOf(script, cue, hats)
  if (part === undefined) return null
  return stepsOf((cue.nudged ? nudgedPart(part, cue) : undefined) ?? part, cue)
}

/** True if a script tells what this actor does when it is asked once more. */
export function answersNudge(script: Script, cue: Cue, hats: readonly string[]): boolean {
  const part = partOf(script, cue, hats)
  return part !== undefined && nudgedPart(part, cue) !== undefined
}

function partOf(script: Script, cue: Cue, hats: readonly string[]): Part | undefined {
  const name = scriptNamesOf(cue.actor, hats).find((one) => script.hats[one] !== undefined)
  return name === undefined ? undefined : script.hats[name]
}

function stepsOf(part: Part, cue: Cue): readonly Step[] | null {
  if (isSteps(part)) return part
  const branch = branchOf(part, cue)
  return branch === undefined ? null : stepsOf(branch, cue)
}

/** `nudged` on the way to the steps that fit, the closest to them. */
function nudgedPart(part: Part, cue: Cue): Part | undefined {
  if (isSteps(part)) return undefined
  const branch = branchOf(part, cue)
  return (branch === undefined ? undefined : nudgedPart(branch, cue)) ?? part.nudged
}

function branchOf({ items, attempts, turns, steps }: Branches, cue: Cue): Part | undefined {
  return (
    (cue.index === null ? undefined : items?.[cue.index]) ??
    attempts?.[cue.attempt] ??
    turns?.[cue.start - 1] ??
    steps ??
    turns?.at(-1)
  )
}

function isSteps(part: Part): part is readonly Step[] {
  return Array.isArray(part)
}

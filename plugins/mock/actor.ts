import type { Role } from '../../core/backend/contract.ts'

/** Who acts: a hat's id, or one of the two below. */
export type Actor = string

/** The built-in coordinator. No hat can have this name, so that a hat `coordinator` is never mistaken for it. */
export const COORDINATOR: Actor = '(coordinator)'

/** An item of `ralph wave run`. */
export const ITEM: Actor = '(item)'

/** Those whom one agent plays, in the order of the prompt. */
export function actorsOf(role: Pick<Role, 'kind' | 'hats'>): readonly Actor[] {
  if (role.kind === 'item') return [ITEM]
  return role.hats.length > 0 ? role.hats : [COORDINATOR]
}

/** Names under which a script may tell an actor's steps, the closest first. The short forms yield to a hat of that name. */
export function scriptNamesOf(actor: Actor, hats: readonly string[]): readonly string[] {
  const short = actor === COORDINATOR ? 'coordinator' : actor === ITEM ? 'item' : null
  return [actor, ...(short === null || hats.includes(short) ? [] : [short]), '*']
}

/** Every name that a script may use in a run with these hats. */
export function allScriptNames(hats: readonly string[]): readonly string[] {
  return [...new Set([...hats, 'coordinator', COORDINATOR, 'item', ITEM, '*'])]
}

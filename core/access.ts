/**
 * What an agent may do. `read`: look at everything, change nothing but notes in `.ralph/`, run no command but those that
 * only read and `ralph emit`. `edit`: change files of the workspace, too. `full`: whatever its user may do.
 */
export const ACCESS_LEVELS = ['read', 'edit', 'full'] as const
export type Access = (typeof ACCESS_LEVELS)[number]

/** A level that a program has to be held to. */
export type Restricted = Exclude<Access, 'full'>

/** Each of those who have a say can only take away: the narrowest counts. */
export function narrowest(levels: readonly (Access | undefined)[]): Access {
  return ACCESS_LEVELS.find((level) => levels.includes(level)) ?? 'full'
}

import type { Look, Problem } from '../../core/backend/contract.ts'

/** The program refuses to skip permissions as root unless it is told that it stands in a sandbox. Only the user can know that. */
export function rootCaveat(look: Look): readonly Problem[] {
  if (look.uid !== 0 || look.env.IS_SANDBOX === '1') return []
  return [
    {
      message: 'claude refuses --dangerously-skip-permissions as root',
      hint: 'run as another user, or set IS_SANDBOX=1 if this machine is a sandbox',
      stops: 'full',
    },
  ]
}

import type { Enforcement, UndoingFile } from '../core/backend/contract.ts'

/** Commands that hand over an agent's work; whoever may do nothing else may still call them. */
export const HAND_OVER = ['ralph emit', 'ralph wave emit'] as const

/** Folders that an agent may write to whatever its access: its notes, and texts that it hands over. */
export const OWN_FOLDERS = ['.ralph/agent', '.ralph/outbox'] as const

/** What the levels mean where a program decides tool by tool. */
export const READ_SAYS = 'reads; changes nothing but notes in .ralph, runs nothing but ralph emit'
export const EDIT_SAYS = 'reads, and changes files of the workspace; runs nothing but ralph emit'

/** Both levels, held to by a program that looks at each command as a text. */
export function byCommandText(
  undoneBy: readonly string[],
  undoneByFiles: readonly UndoingFile[] = [],
): Record<'read' | 'edit', Enforcement> {
  // What such a program takes for a danger may stand in any text: none is on the command line.
  const common = { delivers: 'events', heredoc: false, undoneBy, undoneByFiles } as const
  return { read: { says: READ_SAYS, ...common }, edit: { says: EDIT_SAYS, ...common } }
}

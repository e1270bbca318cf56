import { isTerminal } from './is-terminal.ts'
import { type ColourChoice, createPalette, decideColour } from './view/colour.ts'

/** A green tick and a space for a line of success on stdout (1) or stderr (2), or nothing where there are no colours. */
export function tick(
  fd: 1 | 2,
  colour: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const choice: ColourChoice = colour === 'always' || colour === 'never' ? colour : 'auto'
  const coloured = decideColour({ choice, env, isTerminal: choice === 'auto' && isTerminal(fd) })
  return coloured ? `${createPalette(true).green('✓')} ` : ''
}

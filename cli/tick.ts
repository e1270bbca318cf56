import { fstatSync, statSync } from 'node:fs'
import { type ColourChoice, createPalette, decideColour } from './view/colour.ts'

/** A green tick and a space for a line of success on stdout (1) or stderr (2), or nothing where there are no colours. */
export async function tick(
  fd: 1 | 2,
  colour: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const choice: ColourChoice = colour === 'always' || colour === 'never' ? colour : 'auto'
  const coloured = decideColour({ choice, env, isTerminal: choice === 'auto' && (await isTerminal(fd)) })
  return coloured ? `${createPalette(true).green('✓')} ` : ''
}

/** `node:tty` costs more than all else that `emit` does, so the two usual kinds of stdout are told without it. */
async function isTerminal(fd: 1 | 2): Promise<boolean> {
  try {
    const stat = fstatSync(fd)
    if (!stat.isCharacterDevice() || stat.rdev === statSync('/dev/null').rdev) return false
  } catch {
    return false
  }
  return (await import('node:tty')).isatty(fd)
}

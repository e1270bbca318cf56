import { usageError } from '../../core/errors.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeOut } from '../stdout.ts'

const spec = {
  name: 'completions',
  summary: 'Prints a script that completes commands and flags in a shell',
  examples: [
    'source <(ralph completions bash)',
    'ralph completions zsh > ~/.zsh/completions/_ralph',
    'ralph completions fish > ~/.config/fish/completions/ralph.fish',
  ],
  positionals: [{ name: 'SHELL', required: true, description: 'bash, zsh or fish' }],
  flags: GLOBAL_FLAGS,
} as const satisfies LeafSpec

/** `ralph completions SHELL` */
export const completions: Command = createCommand(spec, async ({ positionals: [shell = ''] }) => {
  const { renderCompletions, SHELLS } = await import('../view/completions.ts')
  const { listCommands } = await import('../command-list.ts')
  const known = SHELLS.find((name) => name === shell)
  if (known === undefined) throw usageError(`SHELL is one of ${SHELLS.join(', ')}, not '${shell}'`)
  writeOut(renderCompletions(known, await listCommands()))
  return 0
})

import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand } from '../command.ts'
import { writeOut } from '../stdout.ts'
import { VERSION } from '../version.ts'

/** `ralph version`, the same as `ralph --version`. */
export const version: Command = createCommand(
  {
    name: 'version',
    summary: 'Shows the version',
    examples: ['ralph version'],
    positionals: [],
    flags: GLOBAL_FLAGS,
  },
  async () => {
    writeOut(`ralph ${VERSION}\n`)
    return 0
  },
)

import type { Settings } from '../core/config/settings.ts'
import { loadConfiguration } from './configuration.ts'
import { createLog } from './log.ts'
import { lookAtTerminal } from './terminal.ts'

/** The settings for a command that only looks at hats; warnings of the config go to stderr. */
export async function loadHats(flags: {
  readonly config: readonly string[]
  readonly hats: string | undefined
  readonly color: string | undefined
  readonly verbose: boolean
}): Promise<Settings> {
  const { loaded } = await loadConfiguration({
    config: flags.config,
    hats: flags.hats,
    flags: {},
    plugins: [],
    cwd: process.cwd(),
    env: process.env,
  })
  const paint = lookAtTerminal(flags.color, process.env).err
  const log = createLog({ paint, quiet: false, verbose: flags.verbose })
  for (const warning of loaded.warnings) log.warn(warning)
  return loaded.settings
}

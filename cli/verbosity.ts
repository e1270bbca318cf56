/** How much a command says on stderr. */
export interface Verbosity {
  /** Only warnings, errors and the closing line. */
  readonly quiet: boolean
  /** Prompts too. */
  readonly verbose: boolean
}

/** From the flags, `RALPH_QUIET` and `RALPH_VERBOSE` (anything but empty and `0`), and the config's `verbose`. */
export function decideVerbosity(request: {
  readonly flags: Verbosity
  readonly env: Readonly<Record<string, string | undefined>>
  readonly configured: boolean
}): Verbosity {
  const { flags, env, configured } = request
  return {
    quiet: flags.quiet || isOn(env.RALPH_QUIET),
    verbose: flags.verbose || isOn(env.RALPH_VERBOSE) || configured,
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0'
}

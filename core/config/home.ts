/** The user's home: `HOME`, else `USERPROFILE`, else `HOMEDRIVE` and `HOMEPATH`; null if none is set. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env.HOME) return env.HOME
  if (env.USERPROFILE) return env.USERPROFILE
  return env.HOMEDRIVE && env.HOMEPATH ? env.HOMEDRIVE + env.HOMEPATH : null
}

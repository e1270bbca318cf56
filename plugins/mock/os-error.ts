/** The operating system's code (`ENOENT`, …) of anything thrown; null for every other error. */
export function osCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

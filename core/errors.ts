/** An error meant for a person: what went wrong, and what to do about it. The CLI prints it without a stack. */
export class RalphError extends Error {
  /** Stable identifier that tests and scripts match on. */
  readonly code: string
  /** What the reader can do next. */
  readonly hint: string | undefined
  /** Process exit code: 2 for a usage error, else 1. */
  readonly exitCode: 1 | 2

  constructor(
    code: string,
    message: string,
    more: { hint?: string; exitCode?: 1 | 2; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'RalphError'
    this.code = code
    this.hint = more.hint
    this.exitCode = more.exitCode ?? 1
  }
}

/** A command line that does not make sense: exit code 2. */
export function usageError(message: string, hint?: string): RalphError {
  return new RalphError('usage', message, hint === undefined ? { exitCode: 2 } : { exitCode: 2, hint })
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** True for an error of the operating system: trouble outside of the program, told by its own message. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** True for an error of the operating system that says: too many files, processes, or too little memory, for now. */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.has(osCodeOf(error) ?? '')
}

const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

/** The operating system's error code (`ENOENT`, …) of anything thrown, if it has one. */
export function osCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

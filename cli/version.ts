declare const RALPH_VERSION: string | undefined

/** The version that the build put in; `dev` when the sources run as they are. */
export const VERSION: string = typeof RALPH_VERSION === 'string' ? RALPH_VERSION : 'dev'

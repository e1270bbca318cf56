/** What was looked at, and what was found. */
export interface Check {
  /** Name of what was looked at, such as `git` or `backend mock`. */
  readonly check: string
  /** `absent`: a program that nothing in the configuration needs is not there. Only `fail` keeps a run from working. */
  readonly state: 'ok' | 'warn' | 'fail' | 'absent'
  readonly detail: string
  /** What to do about it. */
  readonly todo?: string
}

export function fine(check: string, detail: string): Check {
  return { check, state: 'ok', detail }
}

export function doubtful(check: string, detail: string, todo: string): Check {
  return { check, state: 'warn', detail, todo }
}

export function broken(check: string, detail: string, todo?: string): Check {
  return { check, state: 'fail', detail, ...(todo === undefined ? {} : { todo }) }
}

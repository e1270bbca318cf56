/** The outcome of something that may fail in an expected way; broken invariants throw instead. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}

/** Ends a `switch` over a closed union: a new variant fails to compile here. */
export function unreachable(variant: never): never {
  throw new Error(`unhandled variant: ${JSON.stringify(variant)}`)
}

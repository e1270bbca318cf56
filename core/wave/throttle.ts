/**
 * How many agents of a backend may run while its provider pushes back: halved with each refusal, one more with each
 * success, like a congestion window. A backend without an entry is not held back.
 */
export type Throttle = Map<string, number>

/** The provider refused an agent of `backend` while `running` of them ran, that one included. Returns the new limit. */
export function shrink(throttle: Throttle, backend: string, running: number): number {
  const limit = Math.ceil(Math.min(throttle.get(backend) ?? running, running) / 2)
  throttle.set(backend, limit)
  return limit
}

/** An agent of `backend` ended well, or the wait after a refusal is over. At `most` places it is free again. */
export function recover(throttle: Throttle, backend: string, most: number): void {
  const limit = throttle.get(backend)
  if (limit === undefined) return
  if (limit + 1 >= most) throttle.delete(backend)
  else throttle.set(backend, limit + 1)
}

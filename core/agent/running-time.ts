/**
 * Monotonic milliseconds that stand still while this program is stopped (Ctrl-Z): deadlines run on them, since the
 * agents are stopped together with it.
 */
export function runningTime(): number {
  return (heldAt ?? performance.now()) - heldMs
}

/** From now on time stands still. */
export function holdTime(): void {
  heldAt ??= performance.now()
}

/** It goes on from where it stood. */
export function releaseTime(): void {
  if (heldAt === null) return
  heldMs += performance.now() - heldAt
  heldAt = null
}

let heldAt: number | null = null
let heldMs = 0

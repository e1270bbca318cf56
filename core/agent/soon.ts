/** How long is soon, in milliseconds. */
const SOON_MS = 20

/**
 * Does something in a moment, together with all else that this turn of the program puts off; the moment begins when the turn is
 * over. For what is not needed where a program ends right after its start. `act` does not throw. Returns how to leave it
 * undone.
 */
export function soon(act: () => void): () => void {
  current ??= startGroup()
  const group = current
  group.waiting.add(act)
  return () => {
    group.waiting.delete(act)
    if (group.waiting.size === 0 && group.timer !== null) clearTimeout(group.timer)
  }
}

interface Group {
  readonly waiting: Set<() => void>
  timer: Timer | null
}

let current: Group | null = null

function startGroup(): Group {
  const group: Group = { waiting: new Set(), timer: null }
  queueMicrotask(() => {
    current = null
    if (group.waiting.size === 0) return
    group.timer = setTimeout(() => {
      for (const act of group.waiting) {
        group.waiting.delete(act)
        act()
      }
    }, SOON_MS)
  })
  return group
}

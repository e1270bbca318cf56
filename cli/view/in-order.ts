/** Gives things on in the order of their indices, each as soon as all before it have come. */
export interface InOrder<T> {
  put(index: number, value: T): void
  /** Nothing more comes: gives on what still waits for an index that never came. */
  finish(): void
}

export function createInOrder<T>(give: (value: T) => void): InOrder<T> {
  const waiting = new Map<number, T>()
  let next = 0
  return {
    put(index, value) {
      waiting.set(index, value)
      while (waiting.has(next)) {
        give(waiting.get(next) as T)
        waiting.delete(next++)
      }
    },
    finish() {
      for (const index of [...waiting.keys()].sort((a, b) => a - b)) give(waiting.get(index) as T)
      waiting.clear()
    },
  }
}

/** One stream that is being read to its end. */
export interface Reading {
  /** Resolves at the end of the stream, or once `stop` was called; all chunks were given before. */
  readonly done: Promise<void>
  /** The program that wrote has ended: what it has left is read without delay. */
  ended(): void
  /** Stops reading, whoever still holds the other end. */
  stop(): void
}

/**
 * Reads `stream` and gives each piece to `take`, one after another. Nothing is read ahead while `take` works, so a
 * program that prints faster than we read waits in its own write. `release` is called once, at the end.
 */
export function readAll(
  stream: ReadableStream<Uint8Array>,
  take: (chunk: Uint8Array) => void,
  release: () => void,
): Reading {
  const reader = stream.getReader()
  let stopped: Promise<void> | null = null
  async function pump(): Promise<void> {
    try {
      let turn = performance.now()
      while (stopped === null) {
        const { done, value } = await reader.read()
        if (done) return
        take(value)
        // While there is more to read, the runtime answers at once, and timers and other agents would never get a turn.
        if (performance.now() - turn > TURN_MS) {
          await new Promise(setImmediate)
          turn = performance.now()
        }
      }
    } finally {
      await stopped
      release()
    }
  }
  return {
    done: pump(),
    ended() {},
    stop() {
      stopped ??= reader.cancel().catch(() => {})
    },
  }
}

const TURN_MS = 5

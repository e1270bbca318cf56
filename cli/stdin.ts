import { isTerminal } from './is-terminal.ts'

/** The standard input of a command that may or may not be meant to have one. */
export interface Stdin {
  readonly isTerminal: boolean
  /**
   * Everything up to its end. With `firstByteMs`, an input that stays open without a byte for so long is given up:
   * `silent` is then true and the text empty. From the first byte on there is no limit.
   */
  read(firstByteMs?: number): Promise<{ readonly text: string; readonly silent: boolean }>
}

/** stdin over a stream of bytes. An input that cannot be read (closed, a folder) is an empty one. */
export function createStdin(isTerminal: boolean, open: () => ReadableStream<Uint8Array>): Stdin {
  return {
    isTerminal,
    async read(firstByteMs) {
      const chunks: Uint8Array[] = []
      const reader = open().getReader()
      try {
        const first = await within(firstByteMs, reader.read())
        if (first === 'late') return { text: '', silent: true }
        for (let part = first; !part.done; part = await reader.read()) chunks.push(part.value)
      } catch {
        // Nothing more can come from it: what is there counts.
      } finally {
        // An abandoned read would keep the program alive.
        await reader.cancel().catch(() => undefined)
      }
      return { text: Buffer.concat(chunks).toString('utf8'), silent: false }
    },
  }
}

/** The stdin of this process. */
export function processStdin(): Stdin {
  return createStdin(isTerminal(0), () => Bun.stdin.stream())
}

async function within<T>(ms: number | undefined, promise: Promise<T>): Promise<T | 'late'> {
  if (ms === undefined) return promise
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

import { closeSync } from 'node:fs'

/** What a conversation writes to. Writes keep their order; a program that does not read, or has ended, is no error. */
export interface Stdin {
  write(text: string): void
  close(): void
}

/** The part of the runtime's sinks that is used. */
export interface Sink {
  write(text: string): unknown
  flush(): unknown
  end(): unknown
}

/** Nothing to write to. */
export const NO_STDIN: Stdin = { write() {}, close() {} }

/** Writes into the write end of a pipe, which it takes over. */
export function writeTo(fd: number): Stdin {
  const sink = Bun.file(fd).writer()
  // The sink has made a descriptor of its own.
  closeSync(fd)
  return writeInto(sink)
}

export function writeInto(sink: Sink): Stdin {
  let open = true
  return {
    write(text) {
      if (!open) return
      ignoreFailure(() => sink.write(text))
      ignoreFailure(() => sink.flush())
    },
    close() {
      if (!open) return
      open = false
      ignoreFailure(() => sink.end())
    },
  }
}

/** EPIPE says that the program does not want the rest: how it ended tells what that means. */
function ignoreFailure(act: () => unknown): void {
  try {
    const result = act()
    if (result instanceof Promise) result.catch(() => {})
  } catch {}
}

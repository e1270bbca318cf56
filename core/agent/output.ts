import type { Secrets } from '../secrets.ts'
import { noteGarbage } from './collect.ts'
import { createLineSplitter, MAX_LINE_BYTES } from './lines.ts'
import { createLog } from './log.ts'
import { createTail } from './tail.ts'

/** One output stream of an agent: kept whole on disk, cut into lines, its last lines remembered. */
export interface Output {
  take(chunk: Uint8Array): void
  /** The stream has ended: gives a last line without newline. */
  end(): void
  /** Last lines. */
  tail(): string
  /** All of it, as far as it is bounded. Not after `close`. */
  text(): string
  close(): void
}

export interface OutputListener {
  line(text: string): void
  /** The log cannot be written any more. Lines go on. */
  logEnded(reason: string): void
  /** A line was too long to be read whole. The log has all of it. */
  lineCut(lostBytes: number): void
}

export function createOutput(path: string, listener: OutputListener, secrets?: Secrets): Output {
  const splitter = createLineSplitter(MAX_LINE_BYTES, listener.lineCut)
  const log = createLog(path, secrets)
  const tail = createTail(secrets)

  function give(lines: readonly string[]): void {
    for (const line of lines) {
      tail.add(line)
      listener.line(line)
    }
  }

  return {
    take(chunk) {
      const problem = log.write(chunk)
      if (problem !== null) listener.logEnded(problem)
      const lines = splitter.push(chunk)
      give(lines)
      noteGarbage(lines.length, chunk.length)
    },
    end() {
      const problem = log.end()
      if (problem !== null) listener.logEnded(problem)
      give(splitter.end())
    },
    tail: tail.text,
    text: log.text,
    close: log.close,
  }
}

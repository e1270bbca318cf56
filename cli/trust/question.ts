import { readSync } from 'node:fs'
import { osCodeOf } from '../../core/errors.ts'
import { isTerminal } from '../is-terminal.ts'
import { writeErr } from '../stdout.ts'

/** True if a person can be asked: what is typed comes from a terminal, and the question shows on one. */
export function canAsk(): boolean {
  return isTerminal(0) && isTerminal(2)
}

/**
 * Asks on stderr, since stdout is data, and takes one line of the terminal. Everything but `y` and `yes` is a no.
 * No signal is listened for yet: Ctrl-C ends the program as it should.
 */
export function askYesNo(question: string): boolean {
  writeErr(`${question} [y/N] `)
  return /^\s*y(es)?\s*$/i.test(readLine())
}

/** Byte by byte, so that nothing behind the line is taken away from the objective. */
function readLine(): string {
  const byte = Buffer.alloc(1)
  const bytes: number[] = []
  while (true) {
    try {
      if (readSync(0, byte, 0, 1, null) === 0 || byte[0] === 0x0a) break
      bytes.push(byte[0] ?? 0)
    } catch (error) {
      const code = osCodeOf(error)
      if (code !== 'EAGAIN' && code !== 'EINTR') break
      // Another process left the terminal non-blocking.
      Bun.sleepSync(20)
    }
  }
  return Buffer.from(bytes).toString('utf8')
}

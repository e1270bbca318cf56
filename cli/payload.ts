import { fstatSync, readFileSync } from 'node:fs'
import { messageOf, RalphError } from '../core/errors.ts'

/** All of stdin, up to its end. */
export async function readStdin(): Promise<string> {
  if (stdinKind() === 'pipe') return (await readPipe()).text
  try {
    return readFileSync(0, 'utf8')
  } catch (error) {
    throw unreadable('stdin', error)
  }
}

/**
 * All of stdin if something is offered there: it is a regular file, or a pipe whose first byte comes within 250 ms.
 * Else null; `onSilent` is called for a pipe that stays open without a byte.
 */
export async function readOfferedStdin(onSilent: () => void): Promise<string | null> {
  const kind = stdinKind()
  if (kind === 'other') return null
  if (kind === 'file') return readStdin()
  const { text, silent } = await readPipe(250)
  if (silent) onSilent()
  return silent ? null : text
}

/** The whole text of a file that a flag names. */
export function readPayloadFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** Agents' tools are given sockets for pipes by some runtimes. */
function stdinKind(): 'file' | 'pipe' | 'other' {
  try {
    const stat = fstatSync(0)
    return stat.isFile() ? 'file' : stat.isFIFO() || stat.isSocket() ? 'pipe' : 'other'
  } catch {
    return 'other'
  }
}

async function readPipe(firstByteMs?: number): Promise<{ readonly text: string; readonly silent: boolean }> {
  // Loaded only here, since `emit` is started thousands of times and mostly has its payload as an argument.
  const { processStdin } = await import('./stdin.ts')
  return processStdin().read(firstByteMs)
}

function unreadable(what: string, error: unknown): RalphError {
  return new RalphError('payload_unreadable', `cannot read ${what}: ${messageOf(error)}`, { cause: error })
}

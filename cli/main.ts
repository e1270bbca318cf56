import { isSystemError, messageOf, RalphError } from '../core/errors.ts'
import { writeErr } from './stdout.ts'

/**
 * The program. What agents call in a hurry has a short way of its own; everything else goes through the tree of commands.
 * Here is the one catch, and the one exit.
 */
void run(process.argv.slice(2)).then((code) => process.exit(code))

async function run(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(argv)
  } catch (error) {
    return complain(error)
  }
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [first, second] = argv
  if (first === 'mock-agent') return (await import('../plugins/mock/play.ts')).play()
  if (!asksForPage(argv)) {
    if (first === 'emit') return (await import('./commands/emit.ts')).emit.run(argv.slice(1))
    if (first === 'wave' && second === 'emit') {
      return (await import('./commands/wave-emit.ts')).waveEmit.run(argv.slice(2))
    }
  }
  return (await import('./root.ts')).runRoot(argv)
}

/** Pages of help and the version are the tree's business. After `--` everything is data. */
function asksForPage(argv: readonly string[]): boolean {
  for (const word of argv) {
    if (word === '--') return false
    if (word === '-h' || word === '--help' || word === '-V' || word === '--version') return true
  }
  return false
}

/** Tells a person what went wrong, and gives the exit code. Only what nobody expected comes with a stack. */
function complain(error: unknown): number {
  if (error instanceof RalphError) {
    writeErr(`Error: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`)
    return error.exitCode
  }
  const isBug = error instanceof Error && !isSystemError(error)
  const stack = isBug && error.stack !== undefined ? `${error.stack}\n` : ''
  writeErr(`Error: ${messageOf(error)}\n${stack}`)
  return 1
}

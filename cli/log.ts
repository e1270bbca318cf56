import { type ConsolaInstance, createConsola, LogLevels } from 'consola/core'
import { writeErr } from './stdout.ts'
import type { Palette } from './view/colour.ts'
import { safeText } from './view/safe-text.ts'

/**
 * Remarks of a command itself, on stderr: `warning: …`, `error: …`, plain information, and more of it with `-v`.
 * Built on consola's core with our own reporter, so that nothing ever reaches stdout.
 */
export function createLog(options: {
  readonly paint: Palette
  readonly quiet: boolean
  readonly verbose: boolean
}): ConsolaInstance {
  const { paint, quiet, verbose } = options
  return createConsola({
    level: quiet ? LogLevels.warn : verbose ? LogLevels.debug : LogLevels.info,
    throttle: 0,
    reporters: [
      {
        log({ type, args }) {
          const text = safeText(args.map(String).join(' '))
          if (type === 'error' || type === 'fatal') writeErr(`${paint.red(`error: ${text}`)}\n`)
          else if (type === 'warn') writeErr(`${paint.yellow(`warning: ${text}`)}\n`)
          else writeErr(`${text}\n`)
        },
      },
    ],
  })
}

import { stringify } from 'yaml'
import { RalphError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeOut } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'hats show',
  summary: 'Shows one hat as it will be played, with all defaults',
  examples: ['ralph hats show reviewer -H builtin:wave-review'],
  positionals: [{ name: 'NAME', required: true, description: 'Its id or its name' }],
  flags: GLOBAL_FLAGS,
} as const satisfies LeafSpec

/** `ralph hats show NAME` */
export const hatsShow: Command = createCommand(spec, async ({ flags, positionals: [name = ''] }) => {
  const { loadHats } = await import('../hats.ts')
  const { hats } = await loadHats(flags)
  const hat = hats.find((one) => one.id === name) ?? hats.find((one) => one.name === name)
  if (hat === undefined) {
    const ids = hats.map((one) => one.id)
    const guess = nearest(name, ids)
    throw new RalphError('hat_unknown', `there is no hat "${name}"`, {
      hint: guess === null ? `hats: ${ids.join(', ') || 'none'}` : `did you mean "${guess}"?`,
    })
  }
  writeOut(safeText(stringify(hat, { lineWidth: 0, blockQuote: 'literal' })))
  return 0
})

import { readFileSync } from 'node:fs'
import { RalphError } from '../../core/errors.ts'
import { builtinPresets } from '../../presets/index.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeOut } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'presets show',
  summary: 'Prints a hat collection, to read it or to make one of your own from it',
  examples: ['ralph presets show wave-review > presets/my-review.yml'],
  positionals: [
    { name: 'NAME', required: true, description: 'As `ralph presets` lists it; builtin: may be left out' },
  ],
  flags: GLOBAL_FLAGS,
} as const satisfies LeafSpec

/** `ralph presets show NAME`. A file outranks a built-in of the same name, which `builtin:NAME` still finds. */
export const presetsShow: Command = createCommand(spec, async ({ positionals: [name = ''] }) => {
  const { findPresets } = await import('../presets.ts')
  const presets = findPresets({ cwd: process.cwd(), env: process.env, all: true })
  const file = presets.find((preset) => preset.source === 'file' && preset.name === name)
  const text = file?.path ? readFileSync(file.path, 'utf8') : builtinPresets[name.replace(/^builtin:/, '')]
  if (text === undefined) {
    const names = [...new Set(presets.map((preset) => preset.name))]
    throw new RalphError('preset_unknown', `there is no preset "${name}"`, {
      hint: `presets: ${names.join(', ')}`,
    })
  }
  writeOut(safeText(text))
  return 0
})

import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeOut } from '../stdout.ts'
import { safeText } from '../view/safe-text.ts'

const spec = {
  name: 'plugins check',
  summary: 'Loads a plugin and checks it against what ralph relies on; starts no program',
  examples: ['ralph plugins check ./mine.ts', 'ralph plugins check ~/.config/ralph/plugins/mine'],
  positionals: [{ name: 'PATH', required: true, description: 'A plugin file, or a folder with index.ts' }],
  flags: GLOBAL_FLAGS,
} as const satisfies LeafSpec

/** `ralph plugins check PATH`: exit 1 if anything is found. To name the file is to trust it. */
export const pluginsCheck: Command = createCommand(spec, async ({ positionals }) => {
  const { checkPlugin } = await import('../plugin-check.ts')
  const { name, findings } = await checkPlugin(positionals[0] ?? '', process.cwd())
  for (const { rule, message, hint } of findings) {
    writeOut(safeText(`${rule}: ${message}\n  ${hint}\n`))
  }
  if (findings.length === 0) writeOut(`${name}: keeps to all rules\n`)
  return findings.length === 0 ? 0 : 1
})

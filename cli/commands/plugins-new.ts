import { RalphError, usageError } from '../../core/errors.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeErr, writeOut } from '../stdout.ts'

const spec = {
  name: 'plugins new',
  summary: 'Writes a plugin to begin with: a file that loads, with comments that say what to change',
  examples: ['ralph plugins new mine', 'ralph plugins new mine --dir ~/.config/ralph/plugins'],
  positionals: [{ name: 'NAME', required: true, description: 'Name of the backend: a-z, 0-9 and -' }],
  flags: {
    dir: { type: 'one', value: 'DIR', description: 'Where the file goes', default: '.', group: 'Plugin' },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph plugins new NAME`: prints the path of the file. Never replaces one. */
export const pluginsNew: Command = createCommand(spec, async ({ flags, positionals }) => {
  const { mkdirSync, writeFileSync } = await import('node:fs')
  const { join } = await import('node:path')
  const { osCodeOf } = await import('../../core/errors.ts')
  const { BACKEND_NAME } = await import('../../core/backend/plugin-shape.ts')
  const { builtins } = await import('../../plugins/index.ts')
  const { pluginStarter } = await import('../plugin-starter.ts')
  const [name = ''] = positionals
  if (!BACKEND_NAME.test(name)) {
    throw usageError(`"${name}" is no name for a backend`, 'use a-z, 0-9 and -, beginning with a letter')
  }
  if (Object.hasOwn(builtins, name)) {
    throw new RalphError('name_taken', `"${name}" is a built-in backend, which comes before any plugin`, {
      hint: 'take another name',
    })
  }
  const dir = flags.dir ?? '.'
  const path = join(dir, `${name}.ts`)
  mkdirSync(dir, { recursive: true })
  try {
    writeFileSync(path, pluginStarter(name), { flag: 'wx' })
  } catch (error) {
    if (osCodeOf(error) !== 'EEXIST') throw error
    throw new RalphError('file_exists', `${path} exists already`, { hint: 'take another name, or --dir' })
  }
  writeOut(`${path}\n`)
  writeErr(`next: edit it, then \`ralph plugins check ${path}\`\n`)
  return 0
})

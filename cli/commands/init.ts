import { existsSync, writeFileSync } from 'node:fs'
import { RalphError } from '../../core/errors.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { renderHelp } from '../help.ts'
import { writeErr, writeOut } from '../stdout.ts'
import { lookForPages } from '../terminal.ts'

const spec = {
  name: 'init',
  summary: 'Writes a ralph.yml to begin with',
  examples: ['ralph init --backend claude', 'ralph init --backend custom --force'],
  positionals: [],
  flags: {
    backend: { type: 'one', value: 'B', description: 'The AI program that plays the hats', group: 'Init' },
    force: { type: 'bool', description: 'Replace a ralph.yml that is there', group: 'Init' },
    'list-presets': { type: 'bool', description: 'The same as `ralph presets`', group: 'Init' },
    preset: { type: 'one', value: 'X', description: 'Not here: presets are taken with -H', hidden: true },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph init` */
export const init: Command = createCommand(spec, async ({ flags }) => {
  if (flags.preset !== undefined) {
    throw new RalphError('init_preset', 'a preset is no part of ralph.yml', {
      hint: `two steps instead: ralph init --backend B, then ralph run -H builtin:${flags.preset} -p TEXT`,
    })
  }
  if (flags['list-presets']) {
    const { presetsList } = await import('./presets-list.ts')
    return presetsList.run([])
  }
  if (flags.backend === undefined) {
    writeOut(renderHelp(spec, lookForPages(flags.color === undefined ? [] : ['--color', flags.color])))
    return 0
  }
  await checkBackend(flags.backend)
  if (existsSync(FILE) && !flags.force) {
    throw new RalphError('init_exists', `${FILE} exists`, { hint: 'replace it with --force' })
  }
  writeFileSync(FILE, starter(flags.backend))
  writeErr(`Wrote ${FILE}. Next: ralph run -p 'What is to be done'\n`)
  return 0
})

const FILE = 'ralph.yml'

async function checkBackend(name: string): Promise<void> {
  const { findBackends } = await import('../configuration.ts')
  const names = findBackends({ plugins: [], cwd: process.cwd(), env: process.env }).names()
  if (names.includes(name)) return
  throw new RalphError('backend_unknown', `unknown backend "${name}"`, { hint: `known: ${names.join(', ')}` })
}

/** The keys that a first run is likely to want, with their defaults. */
function starter(backend: string): string {
  const command =
    backend === 'custom' ? '\n  command: ./agent.sh # your program\n  prompt_mode: stdin # or arg' : ''
  return `# All keys: ralph config schema
cli:
  backend: ${backend}${command}

event_loop:
  prompt_file: PROMPT.md # or ralph run -p TEXT
  completion_promise: LOOP_COMPLETE
  max_iterations: 100
  max_runtime_seconds: 14400

# Roles that hand over to each other by events. Ready-made ones: ralph presets
# hats:
#   builder:
#     name: Builder
#     description: Builds one thing and tests it
#     triggers: [build.start]
#     publishes: [build.done]
#     instructions: |
#       Build what the event asks for.
`
}

import { createJsonSchema } from '../../core/config/json-schema.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeOut } from '../stdout.ts'

const spec = {
  name: 'config schema',
  summary: 'Prints the JSON Schema of ralph.yml, for editors',
  examples: ['ralph config schema > ralph.schema.json'],
  positionals: [],
  flags: GLOBAL_FLAGS,
} as const satisfies LeafSpec

/** `ralph config schema` */
export const configSchema: Command = createCommand(spec, async () => {
  writeOut(`${JSON.stringify(createJsonSchema(), null, 2)}\n`)
  return 0
})

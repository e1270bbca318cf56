import { topic } from './event-loop.ts'
import {
  either,
  integer,
  list,
  named,
  oneOf,
  refused,
  section,
  text,
  textWhere,
  visibleText,
} from './field.ts'
import { access, effort, model, promptMode, retry, scratchpad } from './machine.ts'

const HAT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const hatId = textWhere(
  (id) =>
    HAT_ID.test(id)
      ? null
      : 'a hat id has 1 to 64 letters (A-Z, a-z), digits, ".", "_" or "-", and begins with a letter or digit',
  { pattern: HAT_ID.source },
)

const hatEntries = {
  name: text,
  description: text,
  triggers: list(topic),
  publishes: list(topic),
  instructions: text,
  extra_instructions: list(text),
  backend: either(
    visibleText,
    section({
      type: visibleText,
      agent: visibleText,
      command: visibleText,
      args: list(text),
      prompt_mode: promptMode,
      prompt_flag: visibleText,
    }),
  ),
  backend_args: list(text),
  args: list(text),
  model,
  effort,
  access,
  default_publishes: topic,
  max_activations: integer(1),
  scratchpad,
  disallowed_tools: list(text),
  timeout: integer(1),
  concurrency: integer(1),
  aggregate: section({
    mode: oneOf(['wait_for_all'], (value) => `${value} is not available: the only mode is wait_for_all`),
    timeout: integer(1),
    budget_bytes: integer(1),
  }),
  isolation: oneOf(['shared'], (value) =>
    value === '"worktree"' ? 'worktree is not available yet' : `must be shared, not ${value}`,
  ),
  retry,
}

export const hats = named(hatId, section({ ...hatEntries, import: visibleText }))

/** The one mapping that a file named by `import` holds. */
export const importedHat = section({
  ...hatEntries,
  import: refused('an imported hat cannot import another'),
  events: refused('an imported file holds one hat; events stand in the file that imports it'),
})

export const events = named(topic, section({ description: text, on_trigger: text, on_publish: text }))

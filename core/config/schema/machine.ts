import { ACCESS_LEVELS } from '../../access.ts'
import { RETRY_CLASSES } from '../../hat.ts'
import {
  amount,
  either,
  flag,
  inert,
  integer,
  list,
  named,
  oneOf,
  section,
  text,
  textWhere,
  visibleText,
} from './field.ts'

export const scratchpad = either(visibleText, section({ enabled: flag, path: visibleText }))

export const access = oneOf(ACCESS_LEVELS)

/** It stands in a command line on its own: one that begins like a flag would be taken for one. */
export const model = textWhere(
  (name) =>
    name.trim() === '' ? 'must not be blank' : name.startsWith('-') ? 'must not begin with "-"' : null,
  { pattern: '^(?!-).*\\S' },
)

/** Which levels there are is the backend's to say. */
export const effort = textWhere(
  (level) => (/^[a-z][a-z0-9-]*$/.test(level) ? null : 'must be one word of a-z, 0-9 and -'),
  { pattern: '^[a-z][a-z0-9-]*$' },
)

export const promptMode = oneOf(['arg', 'stdin'])

export const retry = section({
  attempts: integer(1),
  on: list(oneOf(RETRY_CLASSES)),
  backoff_seconds: integer(0),
})

/** A variable's name; a `*` at its end stands for any rest. */
const variable = textWhere(
  (name) =>
    /^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(name)
      ? null
      : 'must be the name of a variable, with at most a * at its end',
  { pattern: '^[A-Za-z_][A-Za-z0-9_]*\\*?$' },
)

export const cli = section({
  backend: visibleText,
  command: visibleText,
  args: list(text),
  model,
  effort,
  prompt_mode: promptMode,
  prompt_flag: visibleText,
  access,
  wrap: list(visibleText),
  env: either(oneOf(['inherit', 'filtered']), section({ allow: list(variable) })),
  default_mode: inert,
  idle_timeout_secs: inert,
  pty_mode: inert,
  pty_interactive: inert,
})

export const core = section({
  scratchpad,
  specs_dir: visibleText,
  guardrails: list(text),
})

/** By backend name; which names there are is known only when plugins are looked up. */
export const adapters = named(
  text,
  section({
    timeout: integer(1),
    enabled: flag,
    price: section({ input: amount, output: amount, cached_input: amount }),
    script: visibleText,
    access,
    tool_permissions: inert,
  }),
)

export const features = section({
  max_concurrency: integer(1),
  max_wave_items: integer(1),
  strays: oneOf(['wave', 'kill', 'keep']),
  retry,
  max_agents: integer(1),
  max_depth: integer(1),
  exit_grace_seconds: integer(0),
  emit_grace_seconds: integer(0),
  parallel: inert,
  auto_merge: inert,
  loop_naming: section({ format: inert, max_length: inert }),
  preflight: section({ enabled: inert, strict: inert, skip: inert }),
})

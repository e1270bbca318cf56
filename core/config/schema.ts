import type * as v from 'valibot'
import { eventLoop } from './schema/event-loop.ts'
import { amount, flag, inert, integer, list, refused, section, text, visibleText } from './schema/field.ts'
import { events, hats } from './schema/hats.ts'
import { hooks, memories, robot, skills, tasks, tui } from './schema/inert.ts'
import { adapters, cli, core, features } from './schema/machine.ts'

const entries = {
  event_loop: eventLoop,
  cli,
  core,
  adapters,
  features,
  hats,
  events,
  verbose: flag,
  _suppress_warnings: flag,

  // v1: flat keys that have a nested place now (layers.ts).
  agent: visibleText,
  prompt_file: text,
  completion_promise: visibleText,
  max_iterations: integer(1),
  max_runtime: integer(1),
  max_cost: amount,
  agent_priority: list(text),

  RObot: robot,
  hooks,
  memories,
  tasks,
  skills,
  tui,
  archive_prompts: inert,
  enable_metrics: inert,
  max_tokens: inert,
  retry_delay: inert,
  backpressure: inert,
  project: refused('is no longer known: its keys are in core'),
}

/** `ralph.yml`, `~/.ralph/config.yml` and `-c` overrides: any key may be missing, since layers complete each other. */
export const configSchema = section({
  ...entries,
  name: refused('only a hat collection (-H) has a name'),
  description: refused('only a hat collection (-H) has a description'),
})

/** A file given with `-H`. Which of the known keys count there: collection.ts. */
export const collectionSchema = section({ ...entries, name: text, description: text })

/** A configuration as users write it, after the schema has accepted it. */
export type RawConfig = v.InferOutput<typeof configSchema>

export type RawHat = NonNullable<NonNullable<RawConfig['hats']>[string]>

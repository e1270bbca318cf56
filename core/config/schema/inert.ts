import { inert, list, named, section, text } from './field.ts'

/** Sections of v2.10 that are accepted whole and have no effect here. Their keys are known, so that a typing error is still found. */
export const robot = section({
  enabled: inert,
  mode: inert,
  timeout_seconds: inert,
  checkin_interval_seconds: inert,
  telegram: section({ bot_token: inert, api_url: inert }),
})

export const hooks = section({
  enabled: inert,
  defaults: section({ timeout_seconds: inert, max_output_bytes: inert, suspend_mode: inert }),
  events: named(
    text,
    list(
      section({
        name: inert,
        command: inert,
        cwd: inert,
        env: inert,
        timeout_seconds: inert,
        max_output_bytes: inert,
        on_error: inert,
        suspend_mode: inert,
        mutate: section({ enabled: inert, format: inert }),
      }),
    ),
  ),
})

export const memories = section({
  enabled: inert,
  inject: inert,
  budget: inert,
  filter: section({ types: inert, tags: inert, recent: inert }),
})

export const tasks = section({ enabled: inert })

export const skills = section({
  enabled: inert,
  dirs: inert,
  overrides: named(
    text,
    section({ enabled: inert, hats: inert, backends: inert, tags: inert, auto_inject: inert }),
  ),
})

export const tui = section({ prefix_key: inert })

/** What stands for `{payload}`, `{index}`, … in a script, and for `$PAYLOAD`, `$INDEX`, … in its commands. */
export interface Values {
  readonly payload: string
  /** From 0; empty outside waves. */
  readonly index: string
  readonly total: string
  readonly wave: string
  readonly hat: string
  readonly attempt: string
  readonly start: string
  readonly agent: string
  readonly model: string
  readonly topic: string
  readonly objective: string
  readonly prompt: string
}

export type Env = Readonly<Record<string, string | undefined>>

/** Fills in `{name}` and `{env.NAME}`, once: what comes in is never read again. Other braces stay as they are. */
export function fill(text: string, values: Values, env: Env): string {
  return text.replace(
    /\{(env\.)?([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (whole, ofEnv: string | undefined, name: string) => {
      if (ofEnv !== undefined) return env[name] ?? ''
      return isName(name, values) ? values[name] : whole
    },
  )
}

/**
 * The environment of a `run` step. A value is data there: the shell that reads `"$PAYLOAD"` never evaluates it.
 * Values are cut at 64 KiB, since the system bounds one variable; NUL can't be passed. `prompt` is left out for its size.
 */
export function commandEnv(values: Values, env: Env): Record<string, string> {
  const made: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined) made[name] = value
  for (const [name, value] of Object.entries(values))
    if (name !== 'prompt') made[name.toUpperCase()] = cut(value.replaceAll('\0', ''))
  return made
}

function isName(name: string, values: Values): name is keyof Values {
  return Object.hasOwn(values, name)
}

const MOST = 64 * 1024

function cut(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MOST) return text
  return new TextDecoder().decode(bytes.subarray(0, MOST), { stream: true })
}

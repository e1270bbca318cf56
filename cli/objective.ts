import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EventLoopSettings } from '../core/config/settings.ts'
import { messageOf, osCodeOf, RalphError, usageError } from '../core/errors.ts'
import { readRegularFile } from '../core/regular-file.ts'
import { err, ok, type Result } from '../core/result.ts'
import type { Stdin } from './stdin.ts'

/** What the user asked for, and where it came from. */
export interface Objective {
  readonly text: string
  readonly source: ObjectiveSource
  /** The file, for sources that are one. */
  readonly path?: string
}

export type ObjectiveSource =
  | '-p'
  | '-P'
  | 'stdin'
  | 'event_loop.prompt'
  | 'event_loop.prompt_file'
  | 'PROMPT.md'
  /** `--continue` without a new one: the objective that was kept with the run. Its text is empty here. */
  | 'kept'

export interface ObjectiveRequest {
  /** `-p`, `-P`. */
  readonly flags: { readonly prompt: string | undefined; readonly promptFile: string | undefined }
  /** `event_loop.prompt` and `event_loop.prompt_file`. */
  readonly config: Pick<EventLoopSettings, 'prompt' | 'promptFile'>
  /** True with `--continue`: sources 4 to 6 give way to what the run has kept. */
  readonly continued: boolean
  readonly cwd: string
  readonly stdin: Stdin
  /** How long an open and silent stdin is waited for, in milliseconds. */
  readonly waits?: Waits
  /** Says on stderr what a person should know. */
  readonly note: (text: string) => void
}

export interface Waits {
  /** Where another source could serve. */
  readonly withOther: number
  /** Where stdin is the only hope. */
  readonly alone: number
}

const WAITS: Waits = { withOther: 3_000, alone: 30_000 }

/** Throws a usage error if both flags are given. */
export function checkObjectiveFlags({ prompt, promptFile }: ObjectiveRequest['flags']): void {
  if (prompt === undefined || promptFile === undefined) return
  throw usageError('-p and -P exclude each other', 'give the objective as text or as a file, not both')
}

/**
 * The objective from the first source that has one (contract/loop §3): `-p`, `-P`, stdin, the config, `PROMPT.md`.
 * Errors: a missing file, a blank objective, no source at all.
 */
export async function resolveObjective(request: ObjectiveRequest): Promise<Result<Objective, RalphError>> {
  const { flags, cwd, stdin } = request
  if (flags.prompt !== undefined && flags.promptFile !== undefined) {
    return err(
      usageError('-p and -P exclude each other', 'give the objective as text or as a file, not both'),
    )
  }
  if (flags.prompt !== undefined) return notBlank({ text: flags.prompt, source: '-p' })
  if (flags.promptFile === '-') return notBlank({ text: (await stdin.read()).text, source: '-P', path: '-' })
  if (flags.promptFile !== undefined) return readObjective(cwd, flags.promptFile, '-P')

  const other = request.continued ? ok<Objective>({ text: '', source: 'kept' }) : fromWorkspace(request)
  if (stdin.isTerminal) return other ?? err(noObjective())
  const { withOther, alone } = request.waits ?? WAITS
  const wait = other === null ? alone : withOther
  const piped = await stdin.read(wait)
  if (piped.text.trim() !== '') return ok({ text: piped.text, source: 'stdin' })
  if (other === null) return err(piped.silent ? silentStdin(wait) : noObjective())
  if (piped.silent) {
    request.note(
      `stdin stayed open and silent for ${wait / 1000} s; going on without it (</dev/null avoids the wait)`,
    )
  }
  return other
}

/** Sources 4 to 6; null if there is none. */
function fromWorkspace({ config, cwd }: ObjectiveRequest): Result<Objective, RalphError> | null {
  if (config.prompt !== undefined) return notBlank({ text: config.prompt, source: 'event_loop.prompt' })
  if (config.promptFile !== DEFAULT_FILE)
    return readObjective(cwd, config.promptFile, 'event_loop.prompt_file')
  const found = readObjective(cwd, DEFAULT_FILE, DEFAULT_FILE)
  return !found.ok && found.error.code === 'objective_missing' ? null : found
}

const DEFAULT_FILE = 'PROMPT.md'
const MAX_BYTES = 64 * 1024 * 1024

function readObjective(cwd: string, path: string, source: ObjectiveSource): Result<Objective, RalphError> {
  let text: string
  try {
    const full = resolve(cwd, path)
    // A person may name a pipe, `-P <(…)`; what the workspace names must be a file.
    text = source === '-P' ? readFileSync(full, 'utf8') : readRegularFile(full, MAX_BYTES).toString()
  } catch (error) {
    const missing = osCodeOf(error) === 'ENOENT'
    const what = missing ? 'does not exist' : `cannot be read: ${messageOf(error)}`
    return err(
      new RalphError(missing ? 'objective_missing' : 'objective_unreadable', `${source}: ${path} ${what}`),
    )
  }
  return notBlank({ text, source, path })
}

function notBlank(objective: Objective): Result<Objective, RalphError> {
  if (objective.text.trim() !== '') return ok(objective)
  const from = objective.path === undefined ? objective.source : `${objective.source} ${objective.path}`
  return err(new RalphError('objective_blank', `the objective is blank (${from})`, { hint: SOURCES }))
}

function noObjective(): RalphError {
  return new RalphError('objective_none', 'there is no objective', { hint: SOURCES })
}

function silentStdin(ms: number): RalphError {
  return new RalphError('objective_none', `stdin is open, but nothing came for ${ms / 1000} s`, {
    hint: SOURCES,
  })
}

const SOURCES =
  'say what is to be done with -p TEXT, -P FILE, on stdin, by event_loop.prompt or event_loop.prompt_file in ralph.yml, or in PROMPT.md'

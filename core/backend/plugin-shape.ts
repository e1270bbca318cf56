import { err, ok, type Result } from '../result.ts'
import type { BackendPlugin } from './define.ts'

/** Checks what a plugin file exports by default. The error is one sentence that names the field. */
export function checkPluginShape(exported: unknown): Result<BackendPlugin, string> {
  if (exported === undefined) return err('there is no default export')
  if (!isRecord(exported)) return err(`the default export must be an object, not ${kindOf(exported)}`)
  const wrong = firstWrong(exported, FIELDS) ?? wrongTraits(exported.traits) ?? wrongSetup(exported.setup)
  if (wrong !== null) return err(wrong)
  // Every field that BackendPlugin declares was checked above.
  return ok(exported as unknown as BackendPlugin)
}

/** A backend's name, as in `-b <name>`. */
export const BACKEND_NAME = /^[a-z][a-z0-9-]*$/

/** Whether a value is a time between two starts: whole milliseconds, a minute at most. */
export function isStartGap(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 60_000
}

interface Field {
  readonly name: string
  readonly required?: boolean
  readonly must: string
  accepts(value: unknown): boolean
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isFiles = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (file) =>
      isRecord(file) &&
      isText(file.folder) &&
      isText(file.name) &&
      (file.variable === undefined || isText(file.variable)),
  )
const isTroubles = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => isRecord(one) && isText(one.versions) && isText(one.text))
const isUndoingFiles = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (one) =>
      isRecord(one) &&
      typeof one.path === 'string' &&
      isInside(one.path) &&
      isText(one.why) &&
      (one.above === undefined || isFlag(one.above)) &&
      (one.holding === undefined || isExpression(one.holding)),
  )
const isInside = (path: string): boolean =>
  path !== '' && !path.startsWith('/') && !path.split('/').includes('..')
const isExpression = (value: unknown): boolean => {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value, 'im') instanceof RegExp
  } catch {
    return false
  }
}
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0

const FIELDS: readonly Field[] = [
  {
    name: 'name',
    required: true,
    must: 'be a word of a-z, 0-9 and -, beginning with a letter',
    accepts: (value) => typeof value === 'string' && BACKEND_NAME.test(value),
  },
  { name: 'invoke', required: true, must: 'be a function', accepts: isFunction },
  { name: 'open', must: 'be a function', accepts: isFunction },
  { name: 'detect', must: 'be a function', accepts: isFunction },
  { name: 'caveats', must: 'be a function', accepts: isFunction },
  { name: 'summary', must: 'be a string', accepts: isText },
  { name: 'program', must: 'be a string', accepts: isText },
  { name: 'traits', must: 'be an object', accepts: (value) => isRecord(value) },
  { name: 'setup', must: 'be an object', accepts: (value) => isRecord(value) },
]

const TRAITS: readonly Field[] = [
  {
    name: 'output',
    must: "be 'text' or 'stream'",
    accepts: (value) => value === 'text' || value === 'stream',
  },
  { name: 'reportsCost', must: 'be true or false', accepts: isFlag },
  { name: 'reportsTokens', must: 'be true or false', accepts: isFlag },
  { name: 'takesModel', must: 'be true or false', accepts: isFlag },
  { name: 'effort', must: 'be a list of levels', accepts: isTexts },
  { name: 'resumes', must: 'be true or false', accepts: isFlag },
  { name: 'contextWindow', must: 'be a number of tokens', accepts: isCount },
  { name: 'startGapMs', must: 'be whole milliseconds, at most 60000', accepts: isStartGap },
  { name: 'echoesAndDrops', must: 'be true or false', accepts: isFlag },
  { name: 'access', must: 'be a string', accepts: isText },
  { name: 'enforces', must: 'be an object', accepts: (value) => isRecord(value) },
  { name: 'env', must: 'be a list of names', accepts: isTexts },
  { name: 'verified', must: 'be true or false', accepts: isFlag },
  { name: 'shell', must: 'be an object', accepts: (value) => isRecord(value) },
]

const ENFORCEMENT: readonly Field[] = [
  { name: 'says', required: true, must: 'be a string', accepts: isText },
  {
    name: 'delivers',
    required: true,
    must: "be 'events' or 'message'",
    accepts: (value) => value === 'events' || value === 'message',
  },
  { name: 'heredoc', required: true, must: 'be true or false', accepts: isFlag },
  { name: 'undoneBy', required: true, must: 'be a list of words', accepts: isTexts },
  {
    name: 'undoneByFiles',
    must: 'be a list of { path, why } with or without above and holding, a regular expression',
    accepts: isUndoingFiles,
  },
]

const SETUP: readonly Field[] = [
  { name: 'install', must: 'be a string', accepts: isText },
  { name: 'login', must: 'be an object', accepts: (value) => isRecord(value) },
  { name: 'troubles', must: 'be a list of { versions, text }', accepts: isTroubles },
  { name: 'measured', must: 'be a list of versions', accepts: isTexts },
]

const LOGIN: readonly Field[] = [
  { name: 'variables', required: true, must: 'be a list of names', accepts: isTexts },
  {
    name: 'files',
    required: true,
    must: 'be a list of { folder, name } with or without a variable',
    accepts: isFiles,
  },
  {
    name: 'elsewhere',
    must: 'be { where } with or without a list of files, ifThere',
    accepts: (value) =>
      isRecord(value) && isText(value.where) && (value.ifThere === undefined || isFiles(value.ifThere)),
  },
  { name: 'how', required: true, must: 'be a string', accepts: isText },
]

const SHELL: readonly Field[] = ['heredoc', 'substitution', 'keepsPath', 'keepsEnvironment', 'keepsGit'].map(
  (name) => ({
    name,
    must: 'be true or false',
    accepts: isFlag,
  }),
)

function wrongTraits(traits: unknown): string | null {
  if (!isRecord(traits)) return null
  const wrong = firstWrong(traits, TRAITS, 'traits.')
  if (wrong !== null) return wrong
  const enforces = isRecord(traits.enforces) ? Object.entries(traits.enforces) : []
  for (const [level, enforcement] of enforces) {
    if (level !== 'read' && level !== 'edit')
      return `"traits.enforces.${level}" is no level: there are read and edit`
    if (!isRecord(enforcement))
      return `"traits.enforces.${level}" must be an object, not ${kindOf(enforcement)}`
    const fault = firstWrong(enforcement, ENFORCEMENT, `traits.enforces.${level}.`)
    if (fault !== null) return fault
  }
  return isRecord(traits.shell) ? firstWrong(traits.shell, SHELL, 'traits.shell.') : null
}

function wrongSetup(setup: unknown): string | null {
  if (!isRecord(setup)) return null
  const wrong = firstWrong(setup, SETUP, 'setup.')
  return wrong ?? (isRecord(setup.login) ? firstWrong(setup.login, LOGIN, 'setup.login.') : null)
}

function firstWrong(object: Record<string, unknown>, fields: readonly Field[], prefix = ''): string | null {
  for (const { name, required, must, accepts } of fields) {
    const value = object[name]
    if (value === undefined && required !== true) continue
    if (!accepts(value)) return `"${prefix}${name}" must ${must}, not ${kindOf(value)}`
  }
  return null
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' || typeof value === 'function')
    return `a ${typeof value}`.replace('a o', 'an o')
  return JSON.stringify(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { basename, dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, RalphError } from '../errors.ts'
import { err, ok, type Result } from '../result.ts'
import { attributed } from './attributed.ts'
import type { Backend } from './contract.ts'
import { defineBackend } from './define.ts'
import { checkPluginShape } from './plugin-shape.ts'

/** The process whose `exit` must not be called by a file while it loads. */
export interface ExitHost {
  exit: (code?: number | string | null | undefined) => never
}

export interface PluginFile {
  /** What the file's name says; its `name` must say the same. */
  readonly name: string
  /** Absolute. */
  readonly path: string
}

/**
 * Loads one plugin file and completes it to a backend. Codes: `plugin_broken` (does not parse, throws, exits),
 * `plugin_slow` (its top level does not settle within `deadlineMs`), `plugin_shape` (exports the wrong thing).
 */
export async function loadPlugin(
  file: PluginFile,
  host: ExitHost,
  deadlineMs = 10_000,
): Promise<Result<Backend, RalphError>> {
  const loaded = await importWithin(file, host, deadlineMs)
  if (!loaded.ok) return loaded
  return completePlugin(loaded.value, file)
}

/** Turns a module's default export into a backend under the name that it must have. `path` is for messages. */
export function completePlugin(
  module: { readonly default?: unknown },
  { name, path }: PluginFile,
): Result<Backend, RalphError> {
  const shape = checkPluginShape(module.default)
  if (!shape.ok) return err(wrongShape(name, path, shape.error))
  if (shape.value.name !== name)
    return err(wrongShape(name, path, `"name" must be "${name}" like the file, not "${shape.value.name}"`))
  return ok(attributed(defineBackend(shape.value)))
}

async function importWithin(
  { name, path }: PluginFile,
  host: ExitHost,
  deadlineMs: number,
): Promise<Result<{ readonly default?: unknown }, RalphError>> {
  using _guard = refuseExit(host, path)
  const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => giveUp('late'), deadlineMs)
  try {
    const module: unknown = await Promise.race([import(pathToFileURL(path).href), late])
    if (module === 'late') return err(tooSlow(name, path, deadlineMs))
    return ok(module as { readonly default?: unknown })
  } catch (error) {
    return err(broken(name, path, error))
  } finally {
    clearTimeout(timer)
  }
}

/** Per host: the real exit, and whose calls of it are refused. Loads may overlap. */
const refusing = new Map<ExitHost, { readonly exit: ExitHost['exit']; readonly places: string[] }>()

/** While it holds, an `exit` that comes from the plugin's own code throws there; anybody else's goes through. */
function refuseExit(host: ExitHost, path: string): Disposable {
  const place = basename(path).startsWith('index.') ? dirname(path) : path
  const known = refusing.get(host) ?? { exit: host.exit, places: [] }
  known.places.push(place)
  refusing.set(host, known)
  host.exit = (code) => {
    const caller = new Error().stack ?? ''
    if (known.places.some((refused) => caller.includes(refused)))
      throw new Error(`exits the program (code ${code ?? 0}) while it loads`)
    return known.exit.call(host, code)
  }
  return {
    [Symbol.dispose]() {
      known.places.splice(known.places.indexOf(place), 1)
      if (known.places.length > 0) return
      host.exit = known.exit
      refusing.delete(host)
    },
  }
}

function tooSlow(name: string, path: string, deadlineMs: number): RalphError {
  return new RalphError(
    'plugin_slow',
    `plugin "${name}" (${path}) did not finish loading within ${deadlineMs / 1000} s`,
    { hint: 'its top level awaits something that never comes' },
  )
}

function broken(name: string, path: string, error: unknown): RalphError {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  const where = positionOf(first)
  return new RalphError('plugin_broken', `plugin "${name}" (${where ?? path}): ${messageOf(first)}`, {
    cause: error,
  })
}

/** `file:line:column` of a build error. */
function positionOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('position' in error)) return null
  const { position } = error
  if (typeof position !== 'object' || position === null) return null
  if (!('file' in position && 'line' in position && 'column' in position)) return null
  return `${position.file}:${position.line}:${position.column}`
}

function wrongShape(name: string, path: string, what: string): RalphError {
  return new RalphError('plugin_shape', `plugin "${name}" (${path}): ${what}`, {
    hint: 'a plugin is `export default { name, invoke(task) { … } }`',
  })
}

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import type { FileDigest } from '../../core/trust/fingerprint.ts'
import { digestFile } from './digest.ts'

const MAX_FILES = 20_000

/**
 * Everything that plugins of a folder consist of: all files below it, and what they import from elsewhere in the
 * workspace. What an import makes up while it runs cannot be known. Runs nothing.
 */
export function digestPlugins(folder: string, isInside: (path: string) => boolean): readonly FileDigest[] {
  const found = new Map<string, FileDigest>()
  const add = (path: string): void => {
    if (found.has(path)) return
    const digest = digestFile(path)
    if (digest === null) return
    if (found.size >= MAX_FILES)
      throw new RalphError('trust_too_large', `${folder} holds more than ${MAX_FILES} files`)
    found.set(path, digest)
    for (const imported of importsOf(path)) if (isInside(imported)) add(imported)
  }
  for (const path of filesBelow(folder, new Set())) add(path)
  return [...found.values()]
}

/** Links are followed, each folder once. */
function* filesBelow(folder: string, seen: Set<string>): Generator<string> {
  let names: readonly string[]
  try {
    const real = realpathSync(folder)
    if (seen.has(real)) return
    seen.add(real)
    names = readdirSync(folder).sort()
  } catch {
    return
  }
  for (const name of names) {
    const path = join(folder, name)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) yield* filesBelow(path, seen)
    else yield path
  }
}

const CODE = /\.[cm]?[jt]sx?$/

function importsOf(path: string): readonly string[] {
  if (!CODE.test(path)) return []
  try {
    return new Bun.Transpiler({ loader: 'tsx' })
      .scanImports(readFileSync(path, 'utf8'))
      .flatMap((one) => resolveImport(one.path, dirname(path)))
  } catch {
    // No code that could be loaded either.
    return []
  }
}

function resolveImport(name: string, from: string): readonly string[] {
  try {
    return [Bun.resolveSync(name, from)]
  } catch {
    return []
  }
}

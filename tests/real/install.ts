import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { npmFolder } from '../helpers/npm-folder.ts'

/** A package of a pinned version, and where in it the program lies. */
export interface Pinned {
  readonly package: string
  readonly version: string
  /** Path inside the package. */
  readonly file: string
}

/**
 * Absolute path of the pinned program, downloaded with npm at the first call into the user's cache. No install script runs.
 * Throws if it cannot be had.
 */
export async function install(name: string, pinned: Pinned): Promise<string> {
  const spec = `${pinned.package}@${pinned.version}`
  const folder = await npmFolder(`${name}-${pinned.version}`, [spec])
  const program = join(folder, 'node_modules', pinned.package, pinned.file)
  if (!existsSync(program)) throw new Error(`${spec} does not hold ${program}`)
  return program
}

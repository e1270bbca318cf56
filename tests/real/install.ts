import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A package of a pinned version, and where in it the program lies. */
export interface Pinned {
  readonly package: string
  readonly version: string
  /** Path inside the package. */
  readonly file: string
}

/**
 * Absolute path of the pinned program, downloaded with npm at the first call into the user's cache. No install script runs.
 * Throws if it cannot be had: a real test never passes by not running.
 */
export async function install(name: string, pinned: Pinned): Promise<string> {
  const folder = join(cacheFolder(), `${name}-${pinned.version}`)
  const program = join(folder, 'node_modules', pinned.package, pinned.file)
  if (existsSync(program)) return program
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    await npmInstall(fresh, `${pinned.package}@${pinned.version}`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  if (!existsSync(program)) throw new Error(`${pinned.package}@${pinned.version} does not hold ${program}`)
  return program
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralph-tests')
}

async function npmInstall(folder: string, spec: string): Promise<void> {
  const quiet = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund']
  const child = Bun.spawn(['npm', 'install', '--prefix', folder, ...quiet, spec], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`npm install ${spec} exited ${code}: ${stderr}`)
}

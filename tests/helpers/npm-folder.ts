import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder in the user's cache into which these packages (`name@version`) are installed, downloaded with npm at the first
 * call. No install script runs. Throws if they cannot be had.
 */
export async function npmFolder(name: string, specs: readonly string[]): Promise<string> {
  const folder = join(cacheFolder(), name)
  const isThere = (): boolean => existsSync(join(folder, 'node_modules'))
  if (isThere()) return folder
  if (process.env.RALPH_REAL_OFFLINE === '1') throw new Error(`${specs.join(' ')}: not in the cache`)
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    await npmInstall(fresh, specs)
    // Another run may have been faster, and may be using it.
    if (!isThere()) {
      rmSync(folder, { recursive: true, force: true })
      renameSync(fresh, folder)
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralph-tests')
}

async function npmInstall(folder: string, specs: readonly string[]): Promise<void> {
  const quiet = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund']
  const child = Bun.spawn(['npm', 'install', '--prefix', folder, ...quiet, ...specs], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`npm install ${specs.join(' ')} exited ${code}: ${stderr}`)
}

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The release of Claude Code that our tests run. */
export const CLAUDE_VERSION = '2.1.332'

/**
 * Absolute path of the pinned Claude Code, downloaded with npm at the first call into the user's cache. The package for the
 * platform holds the program itself. Throws if it cannot be had: a real test never passes by not running.
 */
export async function installClaude(): Promise<string> {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  const folder = join(cacheFolder(), `claude-code-${CLAUDE_VERSION}`)
  const program = join(folder, 'node_modules', name, 'claude')
  if (existsSync(program)) return program
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    await npm([
      'install',
      '--prefix',
      fresh,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `${name}@${CLAUDE_VERSION}`,
    ])
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  if (!existsSync(program)) throw new Error(`${name}@${CLAUDE_VERSION} does not hold ${program}`)
  return program
}

/** Environment of a Claude Code that talks to `url` instead of its provider, and leaves its files in `home`. */
export function claudeEnv(url: string, home: string): Record<string, string> {
  const tmp = join(home, 'tmp')
  mkdirSync(tmp, { recursive: true })
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: tmp,
    TMPDIR: tmp,
    // As root it refuses to work unless it is told so; the model is ours, and so is the workspace.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralph-tests')
}

async function npm(args: readonly string[]): Promise<void> {
  const child = Bun.spawn(['npm', ...args], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`npm ${args.join(' ')} exited ${code}: ${stderr}`)
}

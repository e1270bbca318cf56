import type { WorkspaceChange } from '../../core/run-event.ts'

/** What of a Git workspace is compared before and after a wave (contract/waves §7.2). */
export interface GitState {
  readonly head: string
  readonly stash: string
  /** Porcelain lines by path, without `.ralph/`. */
  readonly files: ReadonlyMap<string, string>
}

/** Null where the workspace is no Git workspace, or git cannot be asked. Only reads, and takes no lock. */
export async function lookAtGit(workspace: string): Promise<GitState | null> {
  if ((await git(workspace, ['rev-parse', '--is-inside-work-tree'])) === null) return null
  const [head, stash, status] = await Promise.all([
    git(workspace, ['rev-parse', 'HEAD']),
    git(workspace, ['stash', 'list']),
    git(workspace, ['status', '--porcelain', '-z', '--untracked-files=all', '--', '.', ':(exclude).ralph']),
  ])
  return { head: head ?? '', stash: stash ?? '', files: parseStatus(status ?? '') }
}

/** Null if nothing changed. */
export function compareGit(before: GitState | null, after: GitState | null): WorkspaceChange | null {
  if (before === null || after === null) return null
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])]
    .filter((path) => before.files.get(path) !== after.files.get(path))
    .sort()
  const head = before.head !== after.head
  const stash = before.stash !== after.stash
  if (!head && !stash && paths.length === 0) return null
  return { head, stash, files: paths.length, paths: paths.slice(0, 20) }
}

function parseStatus(text: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const fields = text.split('\0')
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? ''
    if (field.length < 4) continue
    files.set(field.slice(3), field.slice(0, 2))
    // A rename is followed by its old name.
    if (field.startsWith('R')) i++
  }
  return files
}

async function git(cwd: string, args: readonly string[]): Promise<string | null> {
  try {
    const child = Bun.spawn(['git', '--no-optional-locks', ...args], {
      cwd,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      env: process.env,
    })
    const text = await new Response(child.stdout).text()
    return (await child.exited) === 0 ? text : null
  } catch {
    return null
  }
}

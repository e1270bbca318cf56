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
  if ((await git(workspace, IS_GIT)) === null) return null
  const [head, stash, status] = await Promise.all([
    git(workspace, HEAD),
    git(workspace, STASH),
    git(workspace, STATUS),
  ])
  return stateOf(head, stash, status)
}

/** The same, and nothing of ours begins meanwhile: a worker that starts at once must not be part of the look. */
export function lookAtGitNow(workspace: string): GitState | null {
  if (gitNow(workspace, IS_GIT) === null) return null
  return stateOf(gitNow(workspace, HEAD), gitNow(workspace, STASH), gitNow(workspace, STATUS))
}

const IS_GIT = ['rev-parse', '--is-inside-work-tree']
const HEAD = ['rev-parse', 'HEAD']
const STASH = ['stash', 'list']
const STATUS = ['status', '--porcelain', '-z', '--untracked-files=all', '--', '.', ':(exclude).ralph']

function stateOf(head: string | null, stash: string | null, status: string | null): GitState {
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
    const child = Bun.spawn(commandLine(args), { cwd, ...STREAMS, env: process.env })
    const text = await new Response(child.stdout).text()
    return (await child.exited) === 0 ? text : null
  } catch {
    return null
  }
}

function gitNow(cwd: string, args: readonly string[]): string | null {
  try {
    const done = Bun.spawnSync(commandLine(args), { cwd, ...STREAMS, env: process.env })
    return done.exitCode === 0 ? done.stdout.toString() : null
  } catch {
    return null
  }
}

const commandLine = (args: readonly string[]): string[] => ['git', '--no-optional-locks', ...args]
const STREAMS = { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' } as const

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WorkspaceChange } from '../../core/run-event.ts'
import { type SafeGit, safeGit } from './safe-git.ts'

/** What of a Git workspace is compared before and after a wave (contract/waves §7.2). */
export interface GitState {
  readonly head: string
  readonly stash: string
  /** Porcelain lines by path, without `.ralph/`. */
  readonly files: ReadonlyMap<string, string>
}

/** Null where the workspace is no Git workspace, or git cannot be asked. Only reads, and takes no lock. */
export async function lookAtGit(workspace: string): Promise<GitState | null> {
  const git = mayBeGit(workspace) ? safeGit(workspace) : null
  if (git === null || (await ask(git, IS_GIT)) === null) return null
  const [head, stash, status] = await Promise.all([ask(git, HEAD), ask(git, STASH), ask(git, STATUS)])
  return stateOf(head, stash, status)
}

/** The same, and nothing of ours begins meanwhile: a worker that starts at once must not be part of the look. */
export function lookAtGitNow(workspace: string): GitState | null {
  const git = mayBeGit(workspace) ? safeGit(workspace) : null
  if (git === null || askNow(git, IS_GIT) === null) return null
  return stateOf(askNow(git, HEAD), askNow(git, STASH), askNow(git, STATUS))
}

/** Output of a Git command that only reads; null where it fails. */
export function gitNow(workspace: string, args: readonly string[]): string | null {
  const git = safeGit(workspace)
  return git === null ? null : askNow(git, args)
}

/** False where Git would find nothing, which costs more to be told by it: no repository, nor a bare one, lies here or above. */
function mayBeGit(workspace: string): boolean {
  if (process.env.GIT_DIR) return true
  try {
    for (let dir = realpathSync(workspace); ; dir = dirname(dir)) {
      if (['.git', 'HEAD'].some((name) => existsSync(join(dir, name)))) return true
      if (dir === dirname(dir)) return false
    }
  } catch {
    return true
  }
}

const IS_GIT = ['rev-parse', '--is-inside-work-tree']
const HEAD = ['rev-parse', 'HEAD']
const STASH = ['stash', 'list']
/** Submodules have a configuration of their own, so that their files are not looked at: only whether another commit is there. */
const STATUS = [
  'status',
  '--porcelain',
  '-z',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '--',
  '.',
  ':(exclude).ralph',
]

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

async function ask(git: SafeGit, args: readonly string[]): Promise<string | null> {
  try {
    const child = Bun.spawn([...git.argv, ...args], { ...STREAMS, cwd: git.cwd, env: git.env })
    const text = await new Response(child.stdout).text()
    return (await child.exited) === 0 ? text : null
  } catch {
    return null
  }
}

function askNow(git: SafeGit, args: readonly string[]): string | null {
  try {
    const done = Bun.spawnSync([...git.argv, ...args], { ...STREAMS, cwd: git.cwd, env: git.env })
    return done.exitCode === 0 ? done.stdout.toString() : null
  } catch {
    return null
  }
}

/** What makes Git hang, a pipe in place of its files, must not make a run hang. */
const LIMIT_MS = 30_000

const STREAMS = {
  stdin: 'ignore',
  stdout: 'pipe',
  stderr: 'ignore',
  timeout: LIMIT_MS,
  killSignal: 'SIGKILL',
} as const

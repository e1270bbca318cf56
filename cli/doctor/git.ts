import type { Look } from '../../core/backend/contract.ts'
import { type Check, doubtful, fine } from './check.ts'

/** What Git says of a workspace. */
export interface GitFacts {
  /** Null: there is no Git. */
  readonly version: string | null
  /** Why Git was not asked though it is there. */
  readonly refused?: string
  /** `other`: Git refuses to look, since the folder belongs to somebody else. */
  readonly repository: 'inside' | 'outside' | 'other'
  readonly hasIdentity: boolean
}

/** Asks Git. It is told to run nothing that the workspace's own settings name. */
export async function lookAtGit(look: Look, workspace: string): Promise<GitFacts> {
  const nothing = { version: null, repository: 'outside', hasIdentity: false } as const
  const told = await look.run('git', ['--version'])
  if (told.refused !== undefined) return { ...nothing, refused: told.refused }
  if (told.exitCode !== 0) return nothing
  const ask = (...args: string[]) => look.run('git', ['-C', workspace, ...HARMLESS, ...args])
  const [inside, name, email] = await Promise.all([
    ask('rev-parse', '--is-inside-work-tree'),
    ask('config', '--get', 'user.name'),
    ask('config', '--get', 'user.email'),
  ])
  return {
    version: told.stdout.trim().replace(/^git version /, ''),
    repository: inside.stdout.trim() === 'true' ? 'inside' : isOthers(inside.stderr) ? 'other' : 'outside',
    hasIdentity: [name, email].every(({ stdout }) => stdout.trim() !== '') || isSet(look.env),
  }
}

const HARMLESS = ['--no-optional-locks', '--no-pager', '-c', 'core.fsmonitor=false'] as const

function isOthers(stderr: string): boolean {
  return /dubious ownership/.test(stderr)
}

function isSet(env: Look['env']): boolean {
  return ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'].every(
    (name) => env[name],
  )
}

/** A run works without Git, and without a repository: but then nobody sees what agents changed, or takes it back. */
export function rateGit({ version, refused, repository, hasIdentity }: GitFacts): Check {
  if (refused !== undefined) return doubtful('git', `not asked: ${refused}`, 'take that folder out of PATH')
  if (version === null)
    return doubtful('git', 'there is no git on PATH', 'install it: agents use it, and so can you')
  if (repository === 'other') {
    return doubtful(
      'git',
      `${version}; the repository belongs to somebody else, and Git refuses to read it`,
      'git config --global --add safe.directory with this folder, if you trust it',
    )
  }
  if (repository === 'outside') {
    return doubtful(
      'git',
      `${version}; this folder is in no repository`,
      'git init: then you see what agents change, and can take it back',
    )
  }
  return hasIdentity
    ? fine('git', `${version}; in a repository, and commits have an author`)
    : doubtful(
        'git',
        `${version}; in a repository, but nobody is set as the author of commits`,
        'git config --global user.name and user.email, or agents cannot commit',
      )
}

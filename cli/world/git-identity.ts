import { gitNow } from './git.ts'

type Variables = Readonly<Record<string, string>>

/**
 * Who commits in this workspace, as variables: for programs whose shell tool takes the user's Git configuration away.
 * What the user has set already stays. Asked once, when it is first needed; empty where Git knows nobody.
 */
export function lookUpGitIdentity(
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
): () => Variables {
  let known: Variables | null = null
  return () => {
    known ??= identityOf(
      gitNow(workspace, ['config', '--get', 'user.name']),
      gitNow(workspace, ['config', '--get', 'user.email']),
      env,
    )
    return known
  }
}

function identityOf(
  name: string | null,
  email: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Variables {
  if (name === null || email === null) return {}
  const wanted = {
    GIT_AUTHOR_NAME: name.trim(),
    GIT_AUTHOR_EMAIL: email.trim(),
    GIT_COMMITTER_NAME: name.trim(),
    GIT_COMMITTER_EMAIL: email.trim(),
  }
  return Object.fromEntries(Object.entries(wanted).filter(([variable]) => env[variable] === undefined))
}

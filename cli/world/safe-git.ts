import { delimiter, isAbsolute } from 'node:path'

/** How to start a Git that executes nothing for the workspace. */
export interface SafeGit {
  /** The program and its first arguments. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * A Git that only reads may still start programs that the repository's own configuration names: a monitor of files, filters,
 * a check of signatures, a transport for what is missing. Nobody has given their word for these, so they are switched off; what
 * the user's own configuration says holds. Null where there is no Git in an absolute folder of PATH, or where it cannot be
 * told what it would start.
 */
export function safeGit(cwd: string): SafeGit | null {
  const { env } = process
  // A relative folder would be looked for in the workspace.
  const PATH = (env.PATH ?? '').split(delimiter).filter(isAbsolute).join(delimiter)
  const program = Bun.which('git', { PATH })
  if (program === null) return null
  const argv = [program, ...HARMLESS]
  const plain = { ...env, PATH, ...NO_TRANSPORT }
  const filters = ownFilters(argv, cwd, plain)
  return filters === null ? null : { argv, cwd, env: { ...plain, ...overridden(filters, env) } }
}

const HARMLESS = [
  '--no-optional-locks',
  '--no-pager',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'].flatMap((one) => [
    '-c',
    one,
  ]),
]

/** Objects that are missing are not fetched: neither by newer releases, nor by older ones, which know no `GIT_NO_LAZY_FETCH`. */
const NO_TRANSPORT = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

/** Keys of filters in the repository's own configuration. Null where Git cannot tell them. */
function ownFilters(argv: readonly string[], cwd: string, env: SafeGit['env']): readonly string[] | null {
  const asked = [
    ...argv,
    'config',
    '--show-scope',
    '--name-only',
    '--get-regexp',
    '^filter\\..*\\.(clean|process)$',
  ]
  const done = Bun.spawnSync(asked, {
    cwd,
    env: { ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    timeout: 10_000,
    killSignal: 'SIGKILL',
  })
  const NOTHING_FOUND = 1
  if (done.exitCode !== 0) return done.exitCode === NOTHING_FOUND ? [] : null
  return done.stdout
    .toString()
    .split('\n')
    .flatMap((line) => /^(?:local|worktree)\t(.*)$/.exec(line)?.[1] ?? [])
}

/** An empty command is none. By variables, since a name may hold what an argument could not. */
function overridden(keys: readonly string[], env: SafeGit['env']): Record<string, string> {
  const settings = keys.flatMap((key) => [
    [key, ''],
    [key.replace(/[^.]*$/, 'required'), 'false'],
  ])
  const first = Number(env.GIT_CONFIG_COUNT ?? 0) || 0
  const variables = settings.flatMap(([key = '', value = ''], i) => [
    [`GIT_CONFIG_KEY_${first + i}`, key],
    [`GIT_CONFIG_VALUE_${first + i}`, value],
  ])
  return Object.fromEntries([...variables, ['GIT_CONFIG_COUNT', `${first + settings.length}`]])
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Login, LoginFile } from '../../core/backend/contract.ts'

/** Whether somebody seems to be logged in, and by which sign. */
export interface LoginSeen {
  readonly seems: 'yes' | 'no' | 'unknown'
  /** A variable's name, a file's path, or where else a login can be. Never a value. Null: the plugin knows no sign of one. */
  readonly sign: string | null
}

/** Looks for signs of a login: variables that are set, files that are there. Reads none of them. */
export function lookForLogin(
  login: Login | undefined,
  env: Readonly<Record<string, string | undefined>>,
  home: string | null,
): LoginSeen {
  if (login === undefined) return { seems: 'unknown', sign: null }
  const { variables, files, elsewhere } = login
  const variable = variables.find((name) => env[name])
  if (variable !== undefined) return { seems: 'yes', sign: variable }
  const paths = (of: readonly LoginFile[]) => of.flatMap((file) => pathOf(file, env, home) ?? [])
  const file = paths(files).find(existsSync)
  if (file !== undefined) return { seems: 'yes', sign: file }
  const maybe = elsewhere?.ifThere === undefined || paths(elsewhere.ifThere).some(existsSync)
  return elsewhere !== undefined && maybe
    ? { seems: 'unknown', sign: `it may be in ${elsewhere.where}` }
    : { seems: 'no', sign: `no sign of one: ${[...variables.slice(0, 3), ...paths(files)].join(', ')}` }
}

function pathOf(
  { variable, folder, name }: LoginFile,
  env: Readonly<Record<string, string | undefined>>,
  home: string | null,
): string | null {
  const moved = variable === undefined ? undefined : env[variable]
  if (moved) return join(moved, name)
  return home === null ? null : join(home, folder, name)
}

import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Look } from '../../core/backend/contract.ts'
import { type Check, doubtful, fine } from './check.ts'

export interface PathRequest {
  readonly look: Look
  /** This very program. */
  readonly executable: string
  /** True for a folder that lies in the workspace. */
  readonly isInside: (path: string) => boolean
  /** Programs that agents are started with, by name. */
  readonly programs: readonly string[]
}

/** Whether PATH leads where one thinks: to this `ralph`, and to one program of each name. Starts nothing. */
export function examinePath({ look, executable, isInside, programs }: PathRequest): readonly Check[] {
  const folders = (look.env.PATH ?? '').split(delimiter)
  const relative = folders.filter((folder) => !isAbsolute(folder))
  const own = [...new Set(folders.filter((folder) => isAbsolute(folder) && isInside(folder)))]
  const remarks = [
    ...(relative.length === 0 ? [] : [RELATIVE(relative)]),
    ...own.map(
      (folder) =>
        [
          `${folder} lies in this workspace: what is put there is started in place of your programs`,
          'take it out of PATH, or put it at the end',
        ] as const,
    ),
    ...programs.flatMap((program) => shadowed(program, folders, look)),
  ]
  const ralph = examineOwn(look.which('ralph'), executable)
  if (remarks.length === 0) return [fine('PATH', `${folders.length} folders, all absolute`), ralph]
  return [...remarks.map(([detail, todo]) => doubtful('PATH', detail, todo)), ralph]
}

const RELATIVE = (folders: readonly string[]) =>
  [
    `it has ${folders.map((folder) => (folder === '' ? 'an empty entry' : `the relative folder ${folder}`)).join(', ')}: whatever lies in the current folder may be started`,
    'take it out of PATH; ralph passes it over',
  ] as const

/** Several files of one name that are not the same file. */
function shadowed(
  program: string,
  folders: readonly string[],
  look: Look,
): readonly (readonly [string, string])[] {
  if (program.includes('/')) return []
  const places = folders
    .filter(isAbsolute)
    .flatMap((folder) => look.which(join(folder, program)) ?? [])
    .map((path) => ({ path, real: realOf(path) }))
  const different = [...new Map(places.map((place) => [place.real, place.path])).values()]
  const [first, ...others] = different
  return first === undefined || others.length === 0
    ? []
    : [
        [
          `${program} is there more than once: ${places[0]?.path ?? first} is started, not ${others.join(', ')}`,
          `remove the one that you do not mean, or set cli.command`,
        ],
      ]
}

function examineOwn(found: string | null, executable: string): Check {
  if (found === null) {
    return doubtful(
      'ralph',
      `${executable} is not on PATH`,
      'put it there to call it by name; agents find it in any case',
    )
  }
  return realOf(found) === realOf(executable)
    ? fine('ralph', found)
    : doubtful(
        'ralph',
        `PATH leads to another one, ${found}; this is ${executable}`,
        'put its folder first on PATH; agents are given this one in any case',
      )
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

import { join, resolve } from 'node:path'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { unreachable } from '../../core/result.ts'
import type { Executable } from '../../core/trust/executable.ts'
import type { FileDigest } from '../../core/trust/fingerprint.ts'
import { namedFiles } from '../../core/trust/named-files.ts'
import { digestFile, isExecutable } from './digest.ts'
import { digestPlugins } from './plugin-files.ts'

/** Gives the files behind what would be executed, by their content. */
export function createContents(of: {
  readonly workspace: string
  readonly isInside: (path: string) => boolean
  /** Path of a program on PATH. */
  readonly which: (program: string) => string | null
}): (executable: Executable) => readonly FileDigest[] {
  const { workspace, isInside, which } = of
  let plugins: readonly FileDigest[] | undefined

  const programFiles = (words: readonly string[]): readonly string[] => {
    const named = namedFiles(words)
      .map(({ path, amongWords }) => ({ path: resolve(workspace, path), amongWords }))
      .filter(({ path, amongWords }) => !amongWords || isExecutable(path))
      .map(({ path }) => path)
    const program = which(words[0] ?? '')
    return [...new Set([...named, ...(program === null ? [] : [program])])].filter(isInside)
  }

  return (executable) => {
    switch (executable.kind) {
      case 'program':
        return programFiles(executable.words).flatMap((path) => digestFile(path) ?? [])
      case 'script':
        return [digestFile(resolve(workspace, executable.path)) ?? []].flat()
      case 'plugin':
        plugins ??= digestPlugins(join(workspace, RALPH_DIR, 'plugins'), isInside)
        return plugins
      default:
        return unreachable(executable)
    }
  }
}

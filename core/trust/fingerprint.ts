import { unreachable } from '../result.ts'
import type { Executable } from './executable.ts'

/** A file, by what is in it. */
export interface FileDigest {
  readonly path: string
  readonly sha256: string
}

/**
 * What the user's word is given for: what was shown, and what is in the files behind it. Another word of the command
 * line or another byte of a file is another fingerprint. Which hat plays with it, and where it was written, is not part of it.
 */
export function fingerprint(executable: Executable, files: readonly FileDigest[]): string {
  const contents = files.map(({ path, sha256 }) => [path, sha256]).sort()
  const text = JSON.stringify([identity(executable), contents])
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

function identity(executable: Executable): readonly unknown[] {
  switch (executable.kind) {
    case 'program':
      return ['program', executable.words, executable.more]
    case 'plugin':
      return ['plugin', executable.name, executable.path]
    case 'script':
      return ['script', executable.path]
    default:
      return unreachable(executable)
  }
}

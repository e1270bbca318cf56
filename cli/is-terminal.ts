import { fstatSync, statSync } from 'node:fs'

/**
 * True if a descriptor is a terminal. `node:tty` brings all streams of the runtime with it, which costs more than all else
 * that a small command does: it is loaded only for what can be a terminal, and not for pipes, files and `/dev/null`.
 */
export function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd)
    if (!stat.isCharacterDevice() || stat.rdev === statSync('/dev/null').rdev) return false
  } catch {
    return false
  }
  return process.getBuiltinModule('node:tty').isatty(fd)
}

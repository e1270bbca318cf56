import { statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { messageOf, osCodeOf } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import { err, ok, type Result } from '../result.ts'
import type { ConfigFault } from './fault.ts'
import type { Origin } from './tree.ts'

export interface ConfigFile {
  /** Absolute, or `builtin:<name>`. */
  readonly path: string
  readonly sha256: string
}

export interface Text {
  readonly text: string
  readonly origin: Origin
}

/** The files of a configuration, as they are read. The only place of the config that touches the disk. */
export interface Disk {
  readonly cwd: string
  /** Files read so far. */
  readonly read: readonly ConfigFile[]
  absolute(path: string): string
  exists(path: string): Promise<boolean>
  /** True for whatever can be read as a file: no folder. */
  isFile(path: string): Promise<boolean>
  /** Fails with a fault that names the file. */
  open(path: string): Promise<Result<Text, ConfigFault>>
  /** Records what was read from elsewhere. */
  note(path: string, bytes: string | Uint8Array): void
}

export function createDisk(cwd: string): Disk {
  const read: ConfigFile[] = []
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path))
  const shown = (path: string) => {
    const inside = isAbsolute(path) && path.startsWith(`${cwd}/`)
    return inside ? path.slice(cwd.length + 1) : path
  }
  const kindOf = async (path: string): Promise<'file' | 'folder' | null> => {
    try {
      // Not left to a thread, whose start takes longer.
      return statSync(absolute(path)).isDirectory() ? 'folder' : 'file'
    } catch {
      return null
    }
  }
  const disk: Disk = {
    cwd,
    read,
    absolute,
    exists: async (path) => (await kindOf(path)) !== null,
    isFile: async (path) => (await kindOf(path)) === 'file',
    async open(path) {
      const label = shown(path)
      try {
        const bytes = await readConfig(cwd, absolute(path))
        disk.note(absolute(path), bytes)
        return ok({ text: bytes.toString('utf8'), origin: { label, path: absolute(path) } })
      } catch (error) {
        return err(argumentFault(label, readFault(error)))
      }
    },
    note: (path, bytes) =>
      read.push({ path, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }),
  }
  return disk
}

/** More is no configuration. */
const CONFIG_BYTES = 16 * 1024 * 1024

/** A person may hand over a pipe, `-c <(…)`; in the workspace, what is no file is a trap. */
async function readConfig(cwd: string, path: string): Promise<Buffer> {
  const isPipe = !path.startsWith(`${cwd}/`) && !(await stat(path)).isFile()
  return isPipe ? readFile(path) : readRegularFile(path, CONFIG_BYTES)
}

function readFault(error: unknown): string {
  switch (osCodeOf(error)) {
    case 'ENOENT':
      return 'no such file'
    case 'EISDIR':
      return 'is a folder, not a file'
    case undefined:
      throw error
    default:
      return `cannot be read: ${messageOf(error)}`
  }
}

/** A fault of a whole file or argument. */
export function argumentFault(file: string, text: string): ConfigFault {
  return { file, key: '', text }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fresh temporary directory, removed when it is disposed. */
export interface Folder extends Disposable {
  readonly dir: string
  path(...parts: string[]): string
}

export function folder(): Folder {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-events-'))
  return {
    dir,
    path: (...parts) => join(dir, ...parts),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

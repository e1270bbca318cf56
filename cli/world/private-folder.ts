import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Brief } from '../../core/prompt/brief.ts'

/** Where the private folders of a run's agents are. */
export function privateFolders(runDir: string): string {
  return join(runDir, 'private')
}

/** The folder that an agent has for itself; the attempts of an item share theirs, so that one can go on with another's session. */
export function privateFolder(runDir: string, brief: Brief, agent: number): string {
  return brief.kind === 'iteration'
    ? join(privateFolders(runDir), `${agent}`)
    : itemPrivateFolder(runDir, brief.wave, brief.index)
}

export function itemPrivateFolder(runDir: string, wave: string, index: number): string {
  return join(privateFolders(runDir), `${wave}-${index}`)
}

/** Copies of logins may lie there. What cannot be removed now goes with the run's folder. */
export function removePrivateFolder(path: string | undefined): void {
  if (path === undefined) return
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { osCodeOf } from '../../core/errors.ts'
import { readRegularFile } from '../../core/regular-file.ts'
import type { Context } from './context.ts'
import { STOP_FILE } from './workspace.ts'

/** How often the stop file and the workspace itself are looked at. */
const LOOK_MS = 500

export interface WorkspaceWatch extends Disposable {
  /** Looks now. */
  look(): 'there' | 'gone'
}

/** Turns the stop file, and the loss of the workspace, into facts. Until it is disposed; keeps no process alive. */
export function watchWorkspace({ run, mailbox }: Pick<Context, 'run' | 'mailbox'>): WorkspaceWatch {
  const path = join(run.workspace, STOP_FILE)
  let gone = false
  let asked: 'drain' | 'now' | null = null
  const look = (): 'there' | 'gone' => {
    if (!existsSync(run.workspace)) {
      if (!gone) mailbox.push({ type: 'workspace.gone' })
      gone = true
      return 'gone'
    }
    const how = readRequest(path)
    if (how === null || how === asked) return 'there'
    asked = how
    mailbox.push({ type: 'stop.asked', how })
    return 'there'
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return { look, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Takes the request away; one that cannot be read, or not be removed, is a request all the same. */
function readRequest(path: string): 'drain' | 'now' | null {
  if (!existsSync(path)) return null
  try {
    const how = readRegularFile(path, 4096).toString().trim() === 'now' ? 'now' : 'drain'
    rmSync(path, { force: true })
    return how
  } catch (error) {
    return osCodeOf(error) === 'ENOENT' ? null : 'drain'
  }
}

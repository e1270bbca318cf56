import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
  const look = (): 'there' | 'gone' => {
    if (!existsSync(run.workspace)) {
      if (!gone) mailbox.push({ type: 'workspace.gone' })
      gone = true
      return 'gone'
    }
    if (!existsSync(path)) return 'there'
    const how = readFileSync(path, 'utf8').trim() === 'now' ? 'now' : 'drain'
    rmSync(path, { force: true })
    mailbox.push({ type: 'stop.asked', how })
    return 'there'
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return { look, [Symbol.dispose]: () => clearInterval(timer) }
}

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './context.ts'
import { STOP_FILE } from './workspace.ts'

/** How often the stop file and the workspace itself are looked at. */
const LOOK_MS = 500

/** Turns the stop file, and the loss of the workspace, into facts. Until it is disposed; keeps no process alive. */
export function watchWorkspace({
  run,
  mailbox,
}: Pick<Context, 'run' | 'mailbox'>): Disposable & { look(): void } {
  const path = join(run.workspace, STOP_FILE)
  let gone = false
  const look = (): void => {
    if (!gone && !existsSync(run.workspace)) {
      gone = true
      mailbox.push({ type: 'workspace.gone' })
    }
    if (!existsSync(path)) return
    const how = readFileSync(path, 'utf8').trim() === 'now' ? 'now' : 'drain'
    rmSync(path, { force: true })
    mailbox.push({ type: 'stop.asked', how })
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return { look, [Symbol.dispose]: () => clearInterval(timer) }
}

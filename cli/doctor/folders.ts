import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import { broken, type Check, doubtful, fine } from './check.ts'

export function examineWorkspace(cwd: string): Check {
  const own = join(cwd, RALPH_DIR)
  const dir = existsSync(own) ? own : cwd
  const why = unwritable(dir)
  return why === null
    ? fine('workspace', `${dir} can be written`)
    : broken('workspace', why, 'a run writes .ralph in this folder')
}

/** Where runs keep what must not get lost. Creates nothing. */
export function examineStateFolder(
  env: Readonly<Record<string, string | undefined>>,
  isInside: (path: string) => boolean,
): Check {
  const check = 'state folder'
  const named = stateFolder(env)
  const todo = 'RALPH_STATE_DIR names another folder'
  if (named === null) return doubtful(check, 'there is no home folder: runs are kept in the workspace', todo)
  const folder = resolve(named)
  const nearest = firstThere(folder)
  const why = unwritable(nearest)
  if (why !== null) return doubtful(check, `${why}; runs are kept in the workspace`, todo)
  if (isInside(folder)) {
    return doubtful(check, `${folder} lies in the workspace, where agents can change it`, todo)
  }
  if (nearest !== folder) return fine(check, `${folder}, made by the first run`)
  const mode = statSync(folder).mode & 0o777
  const shown = `0${mode.toString(8)}`
  return (mode & 0o022) === 0
    ? fine(check, `${folder} can be written (mode ${shown})`)
    : doubtful(check, `others can write ${folder} (mode ${shown})`, `chmod 0700 ${folder}`)
}

function firstThere(path: string): string {
  const above = dirname(path)
  return existsSync(path) || above === path ? path : firstThere(above)
}

/** Why files cannot be made in a folder; null: they can. */
function unwritable(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is no folder`
    accessSync(folder, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

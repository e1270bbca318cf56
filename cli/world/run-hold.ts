import { join } from 'node:path'
import { bootId, startTimeOf } from '../../core/agent/processes.ts'
import { osCodeOf, RalphError } from '../../core/errors.ts'
import { formatTime } from '../../core/events-file/record.ts'
import { collectSecrets } from '../../core/secrets.ts'
import { type Holder, isLocked, type Lock, readHolder, takeLock } from './lock.ts'

/** Lock file in the folder of a run: whoever works on the run, or removes it, holds it. */
export const HOLD_FILE = 'run.lock'

/** What a lock file tells of this very process. */
export function describeHolder(of: {
  readonly started: Date
  readonly workspace?: string
  /** Cut to 100 characters, without secrets. */
  readonly prompt: string
  readonly run?: string
}): Holder {
  return {
    pid: process.pid,
    started: formatTime(of.started),
    prompt: [...collectSecrets(process.env).text(of.prompt)].slice(0, 100).join(''),
    ...(of.run === undefined ? {} : { run: of.run }),
    startTime: startTimeOf(process.pid),
    bootId: bootId(),
    ...(of.workspace === undefined ? {} : { workspace: of.workspace }),
  }
}

/**
 * Holds a run for as long as this process works on it; the hold goes with the process, whatever ends it.
 * Throws `run_held`, which names the holder, while another process has it, and `run_removed` where there is no such folder
 * any more.
 */
export async function holdRun(dir: string, holder: Holder): Promise<Lock> {
  try {
    return await takeLock(join(dir, HOLD_FILE), holder, false)
  } catch (error) {
    if (error instanceof RalphError && error.code === 'locked') throw runHeld(dir, holder.run)
    if (osCodeOf(error) === 'ENOENT') throw runRemoved(dir, holder.run)
    throw error
  }
}

/** True while a living process works on the run. */
export function isHeld(dir: string): boolean {
  return isLocked(join(dir, HOLD_FILE))
}

/** Who works on the run, or did so last; null if nobody knows. */
export function readRunHolder(dir: string): Holder | null {
  return readHolder(join(dir, HOLD_FILE))
}

/** The error that names who works on the run. */
export function runHeld(dir: string, run: string | undefined): RalphError {
  const holder = readRunHolder(dir)
  const who = holder === null ? 'another process' : `process ${holder.pid} (since ${holder.started})`
  return new RalphError('run_held', `the run ${run ?? dir} is in progress: ${who} works on it`, {
    hint: 'wait for its end, or end it: `ralph stop` in its folder, or Ctrl-C in its terminal',
  })
}

function runRemoved(dir: string, run: string | undefined): RalphError {
  return new RalphError('run_removed', `the run ${run ?? dir} was removed meanwhile`, {
    hint: '`ralph runs` lists those that are kept',
  })
}

import { join } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeErr } from '../stdout.ts'

const spec = {
  name: 'stop',
  summary: 'Asks the run of this workspace to end',
  examples: ['ralph stop', 'ralph stop --now'],
  positionals: [],
  flags: {
    now: {
      type: 'bool',
      description: 'End running agents at once, instead of letting them finish',
      group: 'Stop',
    },
    ...GLOBAL_FLAGS,
  },
} as const satisfies LeafSpec

/** `ralph stop`: only asks, by the control file that the run looks for. */
export const stop: Command = createCommand(spec, async ({ flags }) => {
  const { isLocked } = await import('../world/lock.ts')
  const { LOCK_FILE, STOP_FILE, replaceFile } = await import('../world/workspace.ts')
  const cwd = process.cwd()
  if (!isLocked(join(cwd, LOCK_FILE))) {
    throw new RalphError('no_run', 'no run is in progress in this workspace')
  }
  replaceFile(join(cwd, STOP_FILE), flags.now ? 'now\n' : '')
  writeErr(flags.now ? 'Asked the run to end now.\n' : 'Asked the run to end; running agents finish first.\n')
  return 0
})

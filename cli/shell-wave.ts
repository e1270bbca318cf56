import { usageError } from '../core/errors.ts'
import type { Parsed } from './arguments.ts'
import type { WaveRunSpec } from './commands/wave-run.ts'
import { parseCount } from './count.ts'
import { isTerminal } from './is-terminal.ts'
import { itemFormat, parseItems } from './items.ts'
import { readPayloadFile, readStdin } from './payload.ts'
import { castShell, openShellSession, playShellWave, type ShellSession } from './shell-session.ts'
import { writeErr } from './stdout.ts'
import { plural } from './view/rule.ts'
import { type Resumed, type ResumeRequest, resumeItems } from './world/resume-items.ts'

/** `ralph wave run`: each item an agent, without hats, marker or lock. Gives the exit code. */
export async function runShellWave({ flags, positionals, rest }: Parsed<WaveRunSpec>): Promise<number> {
  const [named] = positionals
  if (named !== undefined && !flags.resume) {
    throw usageError(`unexpected argument '${named}'`, 'RUN is given with --resume; items come on stdin')
  }
  const jobs = parseCount('jobs', flags.jobs, 1) ?? 4
  const timeoutSeconds = parseCount('timeout', flags.timeout, 1) ?? 300
  const session = await openShellSession(flags, jobs)
  const file = flags['payloads-file']
  if (file === undefined && isTerminal(0))
    writeErr('Items from this terminal, one a line; Ctrl-D ends them.\n')
  const text = file === undefined ? await readStdin() : readPayloadFile(file)
  const payloads = parseItems(text, itemFormat(flags)).map(({ payload }) => payload)
  if (payloads.length === 0) return 0

  const cast = await castShell(session, rest)
  const template = flags.prompt ?? null
  const wanted = { cast, payloads, template, named: named ?? null }
  const { items, earlier } = flags.resume ? await resume(session, wanted) : fresh(payloads)
  using _earlier = earlier?.hold
  const format = flags.output === 'jsonl' ? 'jsonl' : 'text'
  return await playShellWave(session, { cast, items, template, timeoutSeconds, format })
}

function fresh(payloads: readonly string[]): Resumed {
  return { items: payloads.map((payload) => ({ payload })), earlier: null }
}

/** Says on stderr what is taken over, and from where. */
async function resume(
  session: ShellSession,
  wanted: Pick<ResumeRequest, 'cast' | 'payloads' | 'template' | 'named'>,
): Promise<Resumed> {
  const { settings, cwd, env, log } = session
  const resumed = await resumeItems({ ...wanted, settings, cwd, env, warn: (text) => log.warn(text) })
  const { items, earlier } = resumed
  const done = items.filter(({ adopted }) => adopted !== undefined).length
  log.info(
    earlier === null
      ? `No earlier run of this folder has a result for these items: ${items.length} to run.`
      : `${done} of ${plural(items.length, 'result')} taken over from ${earlier.runId}; ${items.length - done} to run.`,
  )
  return resumed
}

import { unreachable } from '../result.ts'
import { NO_SECRETS } from '../secrets.ts'
import { createAnswer } from './answer.ts'
import type { AgentHandle, AgentJob, AgentNote, ProcessReport } from './contract.ts'
import { createConversation } from './conversation.ts'
import type { StopCause, Stray } from './end.ts'
import type { Failure } from './guard.ts'
import { beginEnding, type Ending, type Reach } from './ladder.ts'
import { redactedText } from './long-text.ts'
import { createOutput, type Output, type OutputListener } from './output.ts'
import { type Prepared, prepare } from './prepare.ts'
import { type Exit, type Started, startProcess } from './process.ts'
import { commandOf } from './processes.ts'
import type { Reading } from './reading.ts'
import { runningTime } from './running-time.ts'
import { createSpeech } from './speech.ts'
import { endProcesses, findStrays, waitForEnd } from './strays.ts'
import { tailOf } from './tail.ts'
import { startWatch, type Watch } from './watch.ts'
import { within } from './within.ts'

/**
 * Runs one process for one prompt and tells what becomes of it: `started` (unless it cannot be started), then what it
 * says and which of its clocks run out, at last `ended`, exactly once. Never throws, never reports before it has
 * returned, and never ends an agent on its own account, except one whose backend broke.
 */
export function startAgent(job: AgentJob, report: (note: AgentNote) => void): AgentHandle {
  const began = runningTime()
  const unstarted = (spawnError: string | null, failure: Failure, shortage = false): AgentHandle => {
    const end = { ...NOTHING_DONE, spawnError, failure, ...(shortage ? { shortage } : {}) }
    queueMicrotask(() => report({ type: 'ended', end }))
    return NO_HANDLE
  }
  const prepared = prepare(job.backend, job.task, job.env.TMPDIR || '/tmp')
  if (!prepared.ok) {
    const { error } = prepared
    if ('failure' in error) return unstarted(null, error.failure)
    return unstarted(error.spawnError, { class: 'unknown', message: error.spawnError })
  }
  const { invocation, release } = prepared.value
  const started = startProcess({
    argv: [...(job.wrap ?? []), ...invocation.argv],
    cwd: job.task.cwd,
    env: environment(job, invocation.env),
    takesStdin: invocation.prompt === 'stdin',
    ...(job.backend.traits.echoesAndDrops === true ? { unreadBytes: echoBytes(job.task.prompt) } : {}),
  })
  if (!started.ok) {
    release()
    const { message, shortage } = started.error
    return unstarted(message, { class: 'unknown', message }, shortage)
  }
  return supervise(job, prepared.value, started.value, report, began)
}

/** Output pipes are read for at most this long after the process has ended. */
const DRAIN_MS = 2000
/** What a process leaves behind for less than this is no stray: a `tee` that sees the end of its input. */
const SETTLE_MS = 100
const DEFAULT_GRACE_MS = 250
const MAX_GRACE_MS = 3000

const NOTHING_DONE: ProcessReport = {
  exitCode: null,
  signal: null,
  spawnError: null,
  stoppedFor: null,
  failure: null,
  usage: null,
  costUsd: null,
  turns: null,
  finalMessage: '',
  durationMs: 0,
  tail: '',
  strays: [],
}

const NO_HANDLE: AgentHandle = { stop() {}, kill() {}, eventAccepted() {}, completionSeen() {} }

/** The marker is ours to set: without it, what the agent starts could not be found again. */
function environment(job: AgentJob, changes: Prepared['invocation']['env']): Record<string, string> {
  const env: Record<string, string> = { ...job.env, ...changes?.set }
  for (const name of changes?.unset ?? []) delete env[name]
  env.RALPH_AGENT = job.marker
  return env
}

/** A prompt in a record, where some characters are written in two or more, and what is said besides. */
function echoBytes(prompt: string): number {
  return Math.ceil(Buffer.byteLength(prompt) * 1.25) + 65_536
}

function supervise(
  job: AgentJob,
  { invocation, session, says, release }: Prepared,
  child: Started,
  report: (note: AgentNote) => void,
  began: number,
): AgentHandle {
  const target = { ...child, marker: job.marker }
  const { secrets = NO_SECRETS } = job
  const lost = Promise.withResolvers<Exit>()
  const grace = Math.min(Math.max(invocation.killGraceMs ?? DEFAULT_GRACE_MS, 0), MAX_GRACE_MS)
  let ending: Ending | null = null
  let reach: Reach = 'tree'
  let stoppedFor: StopCause | null = null
  let exited = false

  const watch: Watch = startWatch({
    pid: child.pid,
    clocks: job.clocks,
    output: job.backend.traits.output,
    report,
  })
  const speech = createSpeech((event) => report({ type: 'said', event }))
  const conversation = createConversation(job.backend, session, {
    event: speech.hear,
    write: (text) => child.stdin.write(text),
    closeStdin: () => child.stdin.close(),
    terminal: watch.terminal,
    resumed: watch.resumed,
    open: watch.open,
    broken: () => end('tree', grace),
  })

  const answer = job.backend.traits.output === 'text' ? createAnswer(`${job.logs.stdout}.answer`) : null

  function end(how: Reach, graceMs: number): void {
    if (exited || ending !== null) return
    watch.stop()
    reach = how
    ending = beginEnding(target, how, graceMs)
    void ending.done.then(() => lost.resolve({ exitCode: null, signal: 'SIGKILL' }))
  }

  function output(stream: 'out' | 'err', path: string): Output {
    const listener: OutputListener = {
      line(text) {
        if (stream === 'out') answer?.add(text)
        conversation.line(stream, text)
      },
      logEnded: (reason) =>
        report({ type: 'said', event: { type: 'error', class: 'unknown', message: `log ended: ${reason}` } }),
      lineCut: (lostBytes) =>
        report({
          type: 'said',
          event: { type: 'error', class: 'unknown', message: cutLine(stream, lostBytes) },
        }),
    }
    return createOutput(path, listener, secrets)
  }

  async function finish(): Promise<void> {
    const stdout = output('out', job.logs.stdout)
    const stderr = output('err', job.logs.stderr)
    const readings = [
      child.readStdout((chunk) => {
        watch.output()
        stdout.take(chunk)
        speech.flush()
      }),
      child.readStderr((chunk) => {
        watch.output()
        stderr.take(chunk)
        speech.flush()
      }),
    ]
    const exit = await Promise.race([child.exited, lost.promise])
    exited = true
    const durationMs = Math.round(runningTime() - began)
    watch.stop()
    child.stdin.close()
    for (const reading of readings) reading.ended()
    if (ending !== null) await ending.done
    const strays = ending !== null && reach === 'tree' ? [] : await settleStrays()
    await drain(readings, DRAIN_MS)
    stdout.end()
    stderr.end()
    const tails = { stdoutTail: stdout.tail(), stderrTail: stderr.tail() }
    const judged = conversation.end({ ...exit, stoppedByUs: ending !== null, ...tails })
    speech.flush()
    const failure = judged === null ? null : { ...judged, message: secrets.text(judged.message) }
    const { usage, costUsd, turns, final, session: named, said } = conversation.known
    const spokenLast = final?.trim() ?? answer?.message() ?? stdout.text().trim()
    // A result arrives as it was written; what a failed agent says is none.
    const finalMessage = failure === null ? spokenLast : redactedText(spokenLast, secrets)
    stdout.close()
    stderr.close()
    release()
    const isStream = job.backend.traits.output === 'stream'
    const spoken = isStream
      ? tailOf(final ?? said, secrets) || withoutRecords(tails.stdoutTail)
      : tails.stdoutTail
    const tail = secrets.text(tails.stderrTail || spoken)
    const resumable = named !== null && job.backend.traits.resumes ? { session: named } : {}
    const known = { usage, costUsd, turns, finalMessage, tail, ...resumable }
    report({
      type: 'ended',
      end: { ...exit, spawnError: null, stoppedFor, failure, ...known, durationMs, strays },
    })
    answer?.close()
  }

  /** Strays first, then the pipes: one that is ended here no longer holds them. */
  async function settleStrays(): Promise<readonly Stray[]> {
    const left = await waitForEnd(await findStrays([job.marker], child.pid), SETTLE_MS)
    const strays = left.map(({ pid, startTime }) => ({
      pid,
      startTime,
      command: secrets.text(commandOf(pid)),
    }))
    if (job.killStrays) await endProcesses(left)
    return strays
  }

  queueMicrotask(() => {
    // Still there to be read: the runtime reaps a process in a later turn.
    const { pid, startTime, bootId } = child
    report({ type: 'started', pid, startTime: startTime(), bootId })
    conversation.say(says)
    speech.flush()
  })
  void finish()

  return {
    stop(cause, graceMs) {
      if (exited || ending !== null) return
      stoppedFor = cause
      end(reachOf(cause), graceMs ?? grace)
    },
    kill() {
      if (exited) return
      stoppedFor ??= ending === null ? 'interrupt' : null
      if (ending === null) end('tree', 0)
      else ending.force()
      reach = 'tree'
    },
    eventAccepted: watch.event,
    completionSeen: watch.completion,
  }
}

function cutLine(stream: 'out' | 'err', lostBytes: number): string {
  return `a line of std${stream} was too long: ${lostBytes} bytes of it were not read; the log has all of it`
}

/** Records of a stream tell a person nothing; what a program prints beside them does. */
function withoutRecords(text: string): string {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('{'))
  return lines.join('\n').trim()
}

async function drain(readings: readonly Reading[], ms: number): Promise<void> {
  const done = Promise.all(readings.map((reading) => reading.done))
  if (!(await within(done, ms))) for (const reading of readings) reading.stop()
  await done
}

/** What an agent that was done leaves behind lives on like that of one which exits: others may be using it. */
function reachOf(cause: StopCause): Reach {
  switch (cause) {
    case 'lingering':
    case 'completion':
      return 'group'
    case 'worker-timeout':
    case 'wave-deadline':
    case 'inactivity':
    case 'interrupt':
    case 'cancelled':
      return 'tree'
    default:
      return unreachable(cause)
  }
}

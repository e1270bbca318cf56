import { dirname, join } from 'node:path'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { controlTopics } from '../../core/run/control-topics.ts'
import type { State, StopReason } from '../../core/run/state.ts'
import { exitCode } from '../../core/run/stop.ts'
import { collectSecrets } from '../../core/secrets.ts'
import { createTopology } from '../../core/topology.ts'
import { beginContinued } from './begin-continued.ts'
import { beginFresh } from './begin-fresh.ts'
import type { Context } from './context.ts'
import { agentEnvironment, nextDepth } from './environment.ts'
import { lookUpGitIdentity } from './git-identity.ts'
import { createMailbox } from './inbox.ts'
import { takeLock } from './lock.ts'
import { removeMergedFiles } from './merge.ts'
import { findOuterRun, informing, withinAllowance } from './outer-run.ts'
import { startReaper } from './reaper.ts'
import type { LoopRequest } from './request.ts'
import { rulesFor } from './rules.ts'
import { createBinFolder, linkRun, writeLimits } from './run-folder.ts'
import { describeHolder } from './run-hold.ts'
import { scratchpadPaths } from './scratchpad.ts'
import { runSession } from './session.ts'
import { appendLoopRow, LOCK_FILE, prepareRalphFolder, writeMarkers } from './workspace.ts'

/** Longest objective in the first row of the events file, in bytes (contract/loop §4.2). */
const ROW_BYTES = 500

const NOTHING = 'nothing is to run again: every item has its result, and asks the same as before'

/** Runs one loop in its workspace, from the lock to the last row. Throws `RalphError` where it cannot begin. */
export async function openLoop(asked: LoopRequest): Promise<{ readonly exitCode: number }> {
  const outer = findOuterRun(asked.env)
  const request = { ...asked, settings: withinAllowance(asked.settings, outer) }
  const { settings, cast, env, cwd, flags } = request
  const depth = nextDepth(env, settings.features.maxDepth)
  const started = new Date()
  const scratchpads = scratchpadPaths(settings)
  prepareRalphFolder(cwd, scratchpads)
  const holder = describeHolder({ started, workspace: cwd, prompt: request.objective.text })
  using lock = await takeLock(join(cwd, LOCK_FILE), holder, flags.exclusive)

  const beginning = await (flags.continue ? beginContinued(request, started) : beginFresh(request, started))
  if (beginning === null) {
    request.report({
      type: 'error',
      iteration: 0,
      code: 'nothing_to_redrive',
      message: NOTHING,
      recoverable: true,
    })
    return { exitCode: 0 }
  }
  using _hold = beginning.hold
  const { state, journal, blobs, first, topic } = beginning
  const { run } = state
  lock.nameRun(run.id)
  if (beginning.continued) removeMergedFiles(dirname(run.eventsFile), state)
  const link = join(cwd, RALPH_DIR, 'runs', run.id)
  writeLimits(run.dir, { maxWaveItems: settings.features.maxWaveItems })
  const binDir = createBinFolder(run.dir, process.execPath)
  const context: Context = {
    run,
    settings,
    topology: createTopology(settings.hats),
    control: controlTopics({ rules: rulesFor(settings, cast) }),
    cast,
    blobs,
    mailbox: createMailbox(),
    report: informing(outer, state, request.report),
    agentEnv: agentEnvironment(env, {
      binDir,
      executable: process.execPath,
      workspace: cwd,
      runId: run.id,
      depth,
    }),
    gitIdentity: lookUpGitIdentity(cwd, env),
    secrets: collectSecrets(env),
    executable: process.execPath,
    reaper: startReaper(run.id, env),
    objective: beginning.objective,
    eventsDir: dirname(run.eventsFile),
    hasLoop: true,
    readFrom: beginning.readFrom,
    continued: beginning.continued,
    refreshWorkspace() {
      prepareRalphFolder(cwd, scratchpads)
      writeMarkers(cwd, { eventsFile: run.eventsFile, runId: run.id })
      if (run.dir !== link) linkRun(link, run.dir)
      lock.renew()
    },
    ...(request.logPrompt === undefined ? {} : { logPrompt: request.logPrompt }),
  }
  for (const message of beginning.warnings) {
    request.report({ type: 'error', iteration: 0, code: 'workspace', message, recoverable: true })
  }
  appendLoopRow(run.eventsFile, {
    iteration: 0,
    topic,
    triggered: 'planner',
    payload: cutObjective(context.secrets.text(beginning.objective)),
  })

  const reason = await runSession({ context, journal, state, first })
  const code = exitCode(reason, state.stop?.signal)
  if (reason !== 'workspace_gone') appendTermination(state, reason, code)
  return { exitCode: code }
}

/** The last row, for those who read the events file. What cannot be written any more is no further news. */
function appendTermination(state: State, reason: StopReason, code: number): void {
  const { run, loop } = state
  const seconds = Math.round((performance.now() - run.startedMono) / 1000)
  const status =
    code === 0 ? 'The run has reached its end.' : 'The run ended before the objective was completed.'
  const payload = [
    `## Reason\n${reason}`,
    `## Status\n${status}`,
    `## Summary\n- Iterations: ${loop?.iteration ?? 0}\n- Duration: ${seconds} s\n- Exit code: ${code}`,
  ].join('\n\n')
  try {
    appendLoopRow(run.eventsFile, { iteration: loop?.iteration ?? 0, topic: 'loop.terminate', payload })
  } catch {}
}

/** Cut between characters, with a note. */
function cutObjective(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= ROW_BYTES) return text
  let end = ROW_BYTES
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.subarray(0, end).toString()}… (${bytes.length} bytes in all)`
}

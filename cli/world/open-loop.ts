import { dirname, join } from 'node:path'
import type { Loaded } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import { RalphError } from '../../core/errors.ts'
import { formatTime } from '../../core/events-file/record.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { createJournal } from '../../core/journal/journal.ts'
import { createState } from '../../core/run/create.ts'
import { controlTopics } from '../../core/run/intake.ts'
import type { RunInfo, State, StopReason } from '../../core/run/state.ts'
import { exitCode } from '../../core/run/stop.ts'
import type { Report } from '../../core/run-event.ts'
import { createTopology } from '../../core/topology.ts'
import type { Cast } from '../cast.ts'
import type { Objective } from '../objective.ts'
import { createBlobStore } from './blobs.ts'
import type { Context } from './context.ts'
import { agentEnvironment, nextDepth } from './environment.ts'
import { createMailbox } from './inbox.ts'
import { takeLock } from './lock.ts'
import { createManifest } from './manifest.ts'
import { rulesFor } from './rules.ts'
import { createBinFolder, createRunFolder, formatStamp, writeLimits } from './run-folder.ts'
import { scratchpadPaths } from './scratchpad.ts'
import { runSession } from './session.ts'
import { watchWorkspace } from './watch-workspace.ts'
import {
  appendLoopRow,
  createEventsFile,
  LOCK_FILE,
  moveScratchpads,
  prepareRalphFolder,
  readRunMarker,
  writeMarkers,
} from './workspace.ts'

/** All that `ralph run` has settled before anything is written or started. */
export interface LoopRequest {
  readonly settings: Settings
  readonly files: Loaded['files']
  readonly cast: Cast
  readonly objective: Objective
  readonly flags: {
    readonly continue: boolean
    readonly loopId: string | undefined
    readonly totalLimits: boolean
    readonly exclusive: boolean
  }
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly report: Report
  readonly logPrompt?: (title: string, text: string) => void
}

/** Longest objective in the first row of the events file, in bytes (contract/loop §4.2). */
const ROW_BYTES = 500

/** Runs one loop in its workspace, from the lock to the last row. Throws `RalphError` where it cannot begin. */
export async function openLoop(request: LoopRequest): Promise<{ readonly exitCode: number }> {
  const { settings, cast, env, cwd, objective } = request
  if (request.flags.continue) throw notYet()
  const depth = nextDepth(env, settings.features.maxDepth)
  const started = new Date()
  const stamp = formatStamp(started)
  const scratchpads = scratchpadPaths(settings)
  prepareRalphFolder(cwd, scratchpads)
  const holder = {
    pid: process.pid,
    started: formatTime(started),
    prompt: [...objective.text].slice(0, 100).join(''),
  }
  using _lock = await takeLock(join(cwd, LOCK_FILE), holder, request.flags.exclusive)

  const earlier = readRunMarker(cwd)
  const folder = createRunFolder({ kind: 'primary', stamp, workspace: cwd, env })
  const eventsFile = createEventsFile(cwd, stamp)
  const run: RunInfo = {
    id: folder.id,
    workspace: cwd,
    dir: folder.dir,
    eventsFile,
    pid: process.pid,
    startedAt: started.getTime(),
    startedMono: performance.now(),
  }
  const pads = join(cwd, RALPH_DIR, 'runs', earlier ?? run.id, 'scratchpads')
  const warnings = [
    ...(folder.warning === undefined ? [] : [folder.warning]),
    ...moveScratchpads(cwd, scratchpads, pads),
  ]
  writeLimits(run.dir, { maxWaveItems: settings.features.maxWaveItems })
  writeMarkers(cwd, { eventsFile, runId: run.id })

  const state = createState({
    run,
    rules: rulesFor(settings, cast),
    topology: createTopology(settings.hats),
    loop: true,
  })
  const binDir = createBinFolder(run.dir, process.execPath)
  const context: Context = {
    run,
    settings,
    topology: state.topology,
    control: controlTopics(state),
    cast,
    blobs: createBlobStore(run.dir),
    mailbox: createMailbox(),
    report: request.report,
    agentEnv: agentEnvironment(env, {
      binDir,
      executable: process.execPath,
      workspace: cwd,
      runId: run.id,
      depth,
    }),
    executable: process.execPath,
    objective: objective.text,
    eventsDir: dirname(eventsFile),
    hasLoop: true,
    ...(request.logPrompt === undefined ? {} : { logPrompt: request.logPrompt }),
  }
  for (const message of warnings) {
    request.report({ type: 'error', iteration: 0, code: 'workspace', message, recoverable: true })
  }
  const journal = createJournal(
    join(run.dir, 'journal.jsonl'),
    await createManifest({ run, mode: 'loop', settings, files: request.files, cast }),
  )
  const topic = settings.eventLoop.startingEvent ?? 'task.start'
  appendLoopRow(eventsFile, {
    iteration: 0,
    topic,
    triggered: 'planner',
    payload: cutObjective(objective.text),
  })

  using _watch = watchWorkspace(context)
  const opened = {
    type: 'loop.opened',
    objective: context.blobs.store(objective.text),
    topic,
    continued: false,
  } as const
  const reason = await runSession({ context, journal, state, first: [opened] })
  const code = exitCode(reason, state.stop?.signal)
  if (reason !== 'workspace_gone') appendTermination(state, reason, code)
  return { exitCode: code }
}

/** The last row, for those who read the events file. What cannot be written any more is no further news. */
function appendTermination(state: State, reason: StopReason, code: number): void {
  const { run, loop } = state
  const seconds = Math.round((Date.now() - run.startedAt) / 1000)
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

function notYet(): RalphError {
  return new RalphError('continue_unavailable', '--continue is not available yet', {
    hint: 'start a fresh run; the journal of the last one is kept',
  })
}

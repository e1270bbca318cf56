import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAgent } from '../../core/agent/agent.ts'
import type { AgentHandle, AgentJob, AgentNote, Clocks, ProcessReport } from '../../core/agent/contract.ts'
import type { AgentEnd } from '../../core/agent/end.ts'
import { lastLine, parseEventBlocks } from '../../core/agent/event-blocks.ts'
import type { AgentTask, Backend } from '../../core/backend/contract.ts'
import { inline } from '../../core/blob.ts'
import { messageOf } from '../../core/errors.ts'
import { workerFile } from '../../core/events-file/rules.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { itemFolder, logPaths, resultPath } from '../../core/journal/paths.ts'
import type { Brief, Material } from '../../core/prompt/brief.ts'
import { renderPrompt } from '../../core/prompt/render.ts'
import { unreachable } from '../../core/result.ts'
import type { Action } from '../../core/run/action.ts'
import type { State } from '../../core/run/state.ts'
import type { Part } from '../cast.ts'
import type { Channels } from './channels.ts'
import { type Context, partOf } from './context.ts'
import { filterEnvironment } from './environment.ts'
import { narrateAgent } from './narrate-agent.ts'
import { readInnerSpending, writeAllowance } from './outer-run.ts'
import { privateFolder, removePrivateFolder } from './private-folder.ts'
import { roleOf } from './role.ts'
import { listNotes, readScratchpad, scratchpadOf } from './scratchpad.ts'

/** Where an agent with restricted access writes what is too long for a command line. */
const OUTBOX = `${RALPH_DIR}/outbox`

type StartAgent = Extract<Action, { kind: 'start-agent' }>

export interface Launcher {
  /** Starts the agent of a work. Never throws: what becomes of it, also if it never starts, arrives in the inbox. */
  launch(action: StartAgent, state: State): void
}

export function createLauncher(
  context: Context,
  agents: Map<number, AgentHandle>,
  channels: Channels,
): Launcher {
  const noted = new Set<string>()
  return {
    launch(action, state) {
      try {
        writeAllowance(context.run.dir, state)
        start(action)
      } catch (error) {
        // Its files cannot be made: as if the program could not be started.
        channels.closeWorker(action.n)
        context.mailbox.push({ type: 'agent.ended', n: action.n, end: neverStarted(messageOf(error)) })
      }
    },
  }

  function start(action: StartAgent): void {
    const { n, brief } = action
    const { backend, options, wrap = [] } = partOf(context.cast, action.backend)
    const folder = folderOf(context, brief)
    const pad = brief.kind === 'iteration' ? scratchpadOf(context.settings, brief.hats[0]) : null
    const before = readScratchpad(context.run.workspace, pad)
    const material = materialOf(context, { backend, options }, { pad, text: before })
    const prompt = renderPrompt(brief, material, context.blobs.read)
    keepPrompt(context, { folder, prompt, brief, attempt: action.attempt })

    const eventsFile =
      brief.kind === 'iteration'
        ? context.run.eventsFile
        : workerFile(context.eventsDir, brief.wave, brief.index)
    if (brief.kind !== 'iteration')
      channels.openWorker(n, eventsFile, brief.kind === 'item' ? null : brief.hat)
    const marker = `${context.run.id}:${n}`
    const env = {
      ...filterEnvironment(context.agentEnv, context.settings.cli.env, backend.traits.env),
      ...workerEnv(brief),
      RALPH_EVENTS_FILE: eventsFile,
      RALPH_AGENT: marker,
    }
    const task: AgentTask = {
      ...options,
      prompt,
      cwd: context.run.workspace,
      env,
      uid: process.getuid?.() ?? 0,
      role: roleOf(context, brief, { agent: n, attempt: action.attempt }),
      ralph: context.executable,
      privateDir: privateFolder(context.run.dir, brief, n),
      ...(brief.kind === 'nudge' ? { resume: brief.resume } : {}),
    }
    const tell = narrateAgent(context, brief)
    if (!backend.traits.verified && !noted.has(backend.name)) tell.unverified(backend.name)
    noted.add(backend.name)
    let group: number | null = null
    const endOf = (report: ProcessReport): AgentEnd => {
      try {
        const scratchpadChanged = pad !== null && readScratchpad(context.run.workspace, pad) !== before
        const end = agentEnd(context, backend, report, scratchpadChanged)
        const inner = readInnerSpending(context.run.dir, n)
        return inner === null ? end : { ...end, inner }
      } catch (error) {
        // What cannot be kept is not believed: the run ends, and `--continue` does this work again.
        context.mailbox.push({ type: 'io.failed', message: messageOf(error) })
        return { ...report, ...NOTHING_SAID, stoppedFor: 'interrupt' }
      }
    }
    const onNote = (note: AgentNote): void => {
      switch (note.type) {
        case 'started':
          group = note.pid
          context.reaper?.watch(group)
          context.mailbox.push({ ...note, type: 'agent.started', n })
          break
        case 'said':
          tell.said(note.event)
          break
        case 'quiet':
          tell.quiet(note.silentMs)
          break
        case 'lapsed':
          context.mailbox.push({ type: 'agent.lapsed', n, which: note.which })
          break
        case 'ended': {
          agents.delete(n)
          if (group !== null) context.reaper?.forget(group)
          channels.closeWorker(n)
          // A worker's is kept for a further attempt.
          if (brief.kind === 'iteration') removePrivateFolder(task.privateDir)
          // A worker that lost its environment wrote to the main file.
          channels.readMain(false)
          context.mailbox.push({ type: 'agent.ended', n, end: endOf(note.end) })
          break
        }
        default:
          unreachable(note)
      }
    }
    const job: AgentJob = {
      marker,
      wrap: wrap.map((word) =>
        word.replaceAll('{workspace}', context.run.workspace).replaceAll('{run}', context.run.dir),
      ),
      secrets: context.secrets,
      backend,
      task,
      env,
      logs: logPaths(folder, action.attempt),
      clocks: clocksOf(context, action),
      killStrays: brief.kind !== 'iteration' && context.settings.features.strays === 'kill',
    }
    context.reaper?.expect(n)
    agents.set(n, startAgent(job, onNote))
  }
}

const NOTHING_SAID = {
  finalMessage: inline(''),
  textEvents: [],
  lastLine: '',
  scratchpadChanged: false,
} as const

function neverStarted(spawnError: string): AgentEnd {
  return {
    ...NOTHING_SAID,
    exitCode: null,
    signal: null,
    spawnError,
    stoppedFor: null,
    failure: { class: 'unknown', message: spawnError },
    usage: null,
    costUsd: null,
    turns: null,
    durationMs: 0,
    tail: '',
    strays: [],
  }
}

/** Where prompt and output of a work are kept. */
function folderOf({ run }: Context, brief: Brief): string {
  if (brief.kind === 'iteration') return join(run.dir, 'iterations', String(brief.iteration.number))
  return itemFolder(run.dir, brief.wave, brief.index)
}

function keepPrompt(
  context: Context,
  of: { folder: string; prompt: string; brief: Brief; attempt: number },
): void {
  const { brief } = of
  // Further attempts are given the same prompt, but for one that goes on with a conversation.
  if (of.attempt === 1 || brief.kind === 'nudge') {
    const name = brief.kind === 'nudge' ? `prompt.${of.attempt}.md` : 'prompt.md'
    mkdirSync(of.folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(of.folder, name), context.secrets.text(of.prompt), { mode: 0o600 })
  }
  const title =
    brief.kind === 'iteration'
      ? `iteration ${brief.iteration.number}`
      : `worker ${brief.index + 1}/${brief.total} of ${brief.wave}`
  context.logPrompt?.(title, of.prompt)
}

function workerEnv(brief: Brief): Record<string, string> {
  if (brief.kind === 'iteration') return {}
  return { RALPH_WAVE_WORKER: '1', RALPH_WAVE_ID: brief.wave, RALPH_WAVE_INDEX: String(brief.index) }
}

function materialOf(
  { settings, run, control }: Context,
  { backend, options: { access } }: Pick<Part, 'backend' | 'options'>,
  scratchpad: { pad: ReturnType<typeof scratchpadOf>; text: string },
): Material {
  const { pad, text } = scratchpad
  const enforced = access === undefined ? undefined : backend.traits.enforces[access]
  return {
    scratchpad: pad === null ? null : { path: pad.path, text },
    notes: listNotes(run.workspace, pad),
    specsDir: settings.core.specsDir,
    guardrails: settings.core.guardrails,
    guardrailsAreSet: settings.core.guardrailsAreSet,
    topicNotes: settings.events,
    control,
    backend: {
      output: backend.traits.output,
      heredoc: backend.traits.shell.heredoc && (enforced?.heredoc ?? true),
      ...(enforced === undefined ? {} : { outbox: OUTBOX }),
    },
    resultPath: (wave, index, n) => resultPath(run.dir, wave, index, n),
  }
}

function clocksOf({ settings }: Context, { limitSeconds, inactivitySeconds }: StartAgent): Clocks {
  const { exitGraceSeconds, emitGraceSeconds } = settings.features
  return {
    limitMs: limitSeconds === null ? null : limitSeconds * 1000,
    inactivityMs: inactivitySeconds === null ? null : inactivitySeconds * 1000,
    exitGraceMs: exitGraceSeconds * 1000,
    emitGraceMs: emitGraceSeconds * 1000,
  }
}

function agentEnd(
  { blobs }: Context,
  backend: Backend,
  report: ProcessReport,
  scratchpadChanged: boolean,
): AgentEnd {
  const isText = backend.traits.output === 'text'
  const { events, rest } = isText
    ? parseEventBlocks(report.finalMessage)
    : { events: [], rest: report.finalMessage }
  return {
    ...report,
    finalMessage: blobs.store(rest),
    textEvents: events.map((event) => ({ ...event, payload: blobs.store(event.payload) })),
    lastLine: lastLine(rest),
    scratchpadChanged,
  }
}

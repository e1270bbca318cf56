import { join } from 'node:path'
import type { AgentJob, Clocks } from '../../core/agent/contract.ts'
import type { AgentTask } from '../../core/backend/contract.ts'
import { shellAdvice } from '../../core/backend/shell-advice.ts'
import { workerFile } from '../../core/events-file/rules.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { itemFolder, logPaths, resultPath } from '../../core/journal/paths.ts'
import type { Brief, Material } from '../../core/prompt/brief.ts'
import { renderPrompt } from '../../core/prompt/render.ts'
import type { Action } from '../../core/run/action.ts'
import type { Part } from '../cast.ts'
import { type Context, partOf } from './context.ts'
import { filterEnvironment } from './environment.ts'
import { privateFolder } from './private-folder.ts'
import { roleOf } from './role.ts'
import { listNotes, readScratchpad, scratchpadOf } from './scratchpad.ts'
import { makeFolder, writePrivate } from './write-private.ts'

export type StartAgent = Extract<Action, { kind: 'start-agent' }>

/** Where an agent with restricted access writes what is too long for a command line. */
const OUTBOX = `${RALPH_DIR}/outbox`

/** The events file of an agent: the run's, or a worker's own. */
export function eventsFileOf(context: Context, brief: Brief): string {
  return brief.kind === 'iteration'
    ? context.run.eventsFile
    : workerFile(context.eventsDir, brief.wave, brief.index)
}

/** The scratchpad that an agent is given: workers have none. */
export function padOf({ settings }: Context, brief: Brief): ReturnType<typeof scratchpadOf> {
  return brief.kind === 'iteration' ? scratchpadOf(settings, brief.hats[0]) : null
}

/** Everything that one process needs: its prompt, kept on disk, its environment, logs and clocks. Throws the system's error. */
export function createJob(context: Context, action: StartAgent): AgentJob {
  const { brief, attempt, n } = action
  const { run, settings } = context
  const { backend, options, wrap = [] } = partOf(context.cast, action.backend)
  const folder = folderOf(context, brief)
  const prompt = renderPrompt(brief, materialOf(context, { backend, options }, brief), context.blobs.read)
  keepPrompt(context, { folder, prompt, brief, attempt })
  const marker = `${run.id}:${n}`
  const env = {
    ...filterEnvironment(context.agentEnv, settings.cli.env, backend.traits.env),
    ...(backend.traits.shell.keepsGit ? {} : context.gitIdentity()),
    ...workerEnv(brief),
    RALPH_EVENTS_FILE: eventsFileOf(context, brief),
    RALPH_AGENT: marker,
  }
  const task: AgentTask = {
    ...options,
    prompt,
    cwd: run.workspace,
    env,
    uid: process.getuid?.() ?? 0,
    role: roleOf(context, brief, { agent: n, attempt }),
    ralph: context.executable,
    privateDir: privateFolder(run.dir, brief, n),
    ...(brief.kind === 'nudge' ? { resume: brief.resume } : {}),
  }
  return {
    marker,
    wrap: wrap.map((word) => word.replaceAll('{workspace}', run.workspace).replaceAll('{run}', run.dir)),
    secrets: context.secrets,
    backend,
    task,
    env,
    logs: logPaths(folder, attempt),
    clocks: clocksOf(context, action),
    killStrays: brief.kind !== 'iteration' && settings.features.strays === 'kill',
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
    // Not left to the first file: one that cannot be made costs more than the folder.
    if (of.attempt === 1) makeFolder(of.folder)
    const name = brief.kind === 'nudge' ? `prompt.${of.attempt}.md` : 'prompt.md'
    writePrivate(join(of.folder, name), context.secrets.text(of.prompt))
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
  context: Context,
  { backend, options: { access } }: Pick<Part, 'backend' | 'options'>,
  brief: Brief,
): Material {
  const { settings, run, control } = context
  const pad = padOf(context, brief)
  const enforced = access === undefined ? undefined : backend.traits.enforces[access]
  return {
    scratchpad: pad === null ? null : { path: pad.path, text: readScratchpad(run.workspace, pad) },
    notes: brief.kind === 'iteration' ? listNotes(run.workspace, pad) : [],
    specsDir: settings.core.specsDir,
    guardrails: settings.core.guardrails,
    guardrailsAreSet: settings.core.guardrailsAreSet,
    topicNotes: settings.events,
    control,
    backend: {
      output: backend.traits.output,
      heredoc: backend.traits.shell.heredoc && (enforced?.heredoc ?? true),
      advice: shellAdvice(backend.traits.shell),
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

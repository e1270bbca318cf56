import { join } from 'node:path'
import type { Loaded } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import { formatWaveId } from '../../core/events-file/record.ts'
import { createJournal } from '../../core/journal/journal.ts'
import { controlTopics } from '../../core/run/control-topics.ts'
import { createState } from '../../core/run/create.ts'
import type { RunInfo, State, StopReason } from '../../core/run/state.ts'
import { exitCode } from '../../core/run/stop.ts'
import type { ItemSettled, Report } from '../../core/run-event.ts'
import { collectSecrets } from '../../core/secrets.ts'
import { createTopology } from '../../core/topology.ts'
import { keptBy } from '../../core/wave/adopt.ts'
import type { WavePlan } from '../../core/wave/plan.ts'
import { planShell } from '../../core/wave/plan-shell.ts'
import type { Adoption } from '../../core/wave/wave.ts'
import type { Cast } from '../cast.ts'
import { createBlobStore } from './blobs.ts'
import type { Context } from './context.ts'
import { agentEnvironment, nextDepth } from './environment.ts'
import { lookUpGitIdentity } from './git-identity.ts'
import { createMailbox } from './inbox.ts'
import { createManifest } from './manifest.ts'
import { tellCancelled } from './outcomes.ts'
import { findOuterRun, informing, withinAllowance } from './outer-run.ts'
import { startReaper } from './reaper.ts'
import { rulesFor } from './rules.ts'
import { createBinFolder, createRunFolder, formatStamp } from './run-folder.ts'
import { describeHolder, holdRun } from './run-hold.ts'
import { runSession } from './session.ts'

/** All that `ralph wave run` has settled before anything is written or started. */
export interface ShellWaveRequest {
  /** `features.max_concurrency` stands for `-j`. */
  readonly settings: Settings
  readonly files: Loaded['files']
  readonly cast: Cast
  /** In input order; at least one. */
  readonly items: readonly ShellItem[]
  /** The wave of which this one runs a part again. */
  readonly redriveOf?: string
  readonly template: string | null
  readonly timeoutSeconds: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly report: Report
  /** Called once for every item, as it settles; at the end for those that never will. */
  readonly onSettled: (item: ItemSettled) => void
  /** Resolves once nobody reads the results: then no further item starts. */
  readonly unread: Promise<void>
  readonly logPrompt?: (title: string, text: string) => void
}

export interface ShellItem {
  readonly payload: string
  /** What an earlier run has paid for: it does not run. */
  readonly adopted?: Adoption
}

/** Runs one wave without a loop: the same engine, and a state that holds nothing else. Owns only its run folder. */
export async function openShellWave(asked: ShellWaveRequest): Promise<{ readonly exitCode: number }> {
  const outer = findOuterRun(asked.env)
  const request = { ...asked, settings: withinAllowance(asked.settings, outer) }
  const { settings, cast, env, cwd } = request
  const depth = nextDepth(env, settings.features.maxDepth)
  const started = new Date()
  const folder = createRunFolder({ kind: 'wave', stamp: formatStamp(started), workspace: null, env })
  using _hold = await holdRun(
    folder.dir,
    describeHolder({ started, workspace: cwd, prompt: request.template ?? '', run: folder.id }),
  )
  const run: RunInfo = {
    id: folder.id,
    workspace: cwd,
    dir: folder.dir,
    eventsFile: '',
    pid: process.pid,
    startedAt: started.getTime(),
    startedMono: performance.now(),
  }
  const state = createState({
    run,
    rules: rulesFor(settings, cast),
    topology: createTopology([]),
    loop: false,
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
    objective: request.template ?? '',
    eventsDir: run.dir,
    hasLoop: false,
    readFrom: 0,
    continued: false,
    refreshWorkspace: () => {},
    onSettled: request.onSettled,
    ...(request.logPrompt === undefined ? {} : { logPrompt: request.logPrompt }),
  }
  const journal = createJournal(
    join(run.dir, 'journal.jsonl'),
    await createManifest({
      run,
      mode: 'wave',
      settings,
      cast,
      env,
      files: request.files,
      backends: state.rules.backends,
    }),
  )
  const plan = planItems(request, context)
  void request.unread.then(() => context.mailbox.push({ type: 'stop.asked', how: 'drain' }))
  const reason = await runSession({ context, journal, state, first: [{ type: 'wave.opened', plan }] })
  for (const wave of state.waves.values()) tellCancelled(context, wave)
  return { exitCode: codeOf(state, reason) }
}

function planItems(request: ShellWaveRequest, { blobs }: Context): WavePlan {
  const { settings, items, template, timeoutSeconds, redriveOf } = request
  return planShell({
    id: formatWaveId(BigInt(Date.now()) * 1_000_000n, process.pid, 0),
    items: items.map(({ payload, adopted }) => ({
      payload: blobs.store(payload),
      ...(adopted === undefined ? {} : { adopted: keptBy(adopted, blobs) }),
    })),
    concurrency: settings.features.maxConcurrency,
    timeoutSeconds,
    template,
    ...(redriveOf === undefined ? {} : { redriveOf }),
  })
}

/** 0 if all have a result, 1 if some have none; else as any run ends. */
function codeOf(state: State, reason: StopReason): number {
  if (reason !== 'completed') return exitCode(reason, state.stop?.signal)
  const works = [...state.waves.values()].flatMap((wave) => wave.works)
  return works.every((work) => work.outcome?.class === 'result') ? 0 : 1
}

import type { AgentHandle } from '../../core/agent/contract.ts'
import { runningTime } from '../../core/agent/running-time.ts'
import { messageOf } from '../../core/errors.ts'
import { appendText } from '../../core/events-file/append.ts'
import { formatRecord, formatTime } from '../../core/events-file/record.ts'
import { unreachable } from '../../core/result.ts'
import type { Action } from '../../core/run/action.ts'
import type { Iteration } from '../../core/run/loop.ts'
import { iterationEnd } from '../../core/run/narrate.ts'
import type { State } from '../../core/run/state.ts'
import type { World } from '../../core/run/world.ts'
import type { Wave } from '../../core/wave/wave.ts'
import { heldBack } from './agent-end.ts'
import { createChannels } from './channels.ts'
import type { Context } from './context.ts'
import { type GitState, lookAtGitNow } from './git.ts'
import { createLauncher } from './launch.ts'
import { mergeWave } from './merge.ts'
import { fileOutcomes } from './outcomes.ts'
import { itemPrivateFolder, privateFolders, removePrivateFolder } from './private-folder.ts'
import { createRemoval } from './removal.ts'
import { appendGuidance, scratchpadOf } from './scratchpad.ts'
import { createTimers } from './timers.ts'
import { watchWorkspace } from './watch-workspace.ts'
import { appendLoopRow } from './workspace.ts'

/** The real world of one run: its actions have effects here, and what comes of them are facts. */
export interface RealWorld extends World {
  /** Kills every agent at once: the user's second signal. */
  kill(): void
  /** After the end: nothing of this run is left running or watched. */
  close(state: State): Promise<void>
}

export function createWorld(context: Context): RealWorld {
  const { mailbox, run } = context
  const agents = new Map<number, AgentHandle>()
  const channels = createChannels(context, agents)
  const launcher = createLauncher(context, agents, channels)
  const timers = createTimers()
  const removal = createRemoval()
  /** Something could not be written: the run is about to end, and starts no agent that it would have to end at once. */
  let broken = false
  /** How the workspace looked when the open waves began. */
  let git: GitState | null = null
  const watch = context.hasLoop ? watchWorkspace(context) : null
  if (context.hasLoop) channels.followMain(context.readFrom)

  /** Looked at before anything is written at the end of an iteration: rows would make a lost workspace anew. The run ends then. */
  const isGone = (): boolean => watch?.look() === 'gone'

  function act(action: Action, state: State): void {
    switch (action.kind) {
      case 'begin-iteration':
        context.refreshWorkspace()
        noteGuidance(context, action)
        break
      case 'start-agent':
        if (broken) mailbox.push({ type: 'agent.ended', n: action.n, end: heldBack() })
        else launcher.launch(action, state)
        break
      case 'stop-agent':
        agents.get(action.n)?.stop(action.cause, action.graceMs)
        break
      case 'read-events':
        if (isGone()) break
        channels.readMain(true)
        break
      case 'append-text-events':
        appendTextEvents(context, action.iteration)
        channels.readMain(true)
        break
      case 'open-stage':
        break
      case 'resolve-dispatches':
        if (action.resolution.plans.length > 0) git = lookAtGitNow(run.workspace)
        break
      case 'file-outcomes':
        fileOutcomes(context, action.wave, action.works)
        for (const { index } of action.works)
          removePrivateFolder(itemPrivateFolder(run.dir, action.wave.id, index))
        break
      case 'merge-wave':
        channels.restMain()
        void mergeWave(context, {
          wave: action.wave,
          before: git,
          endStrays: () => launcher.endStrays(workersOf(state, action.wave)),
          removal,
        })
        break
      case 'close-iteration':
        if (isGone()) break
        appendSummary(context, state, action.iteration)
        mailbox.push({ type: 'iteration.closed', iteration: action.iteration.number })
        break
      case 'set-timer':
        timers.set(action.ms, () => mailbox.push({ type: 'timer.fired', timer: action.timer }))
        break
      case 'end':
        break
      default:
        unreachable(action)
    }
  }

  return {
    clock: { now: () => ({ wall: Date.now(), mono: runningTime() }) },
    inbox: mailbox,
    report: context.report,
    read: context.blobs.read,
    start(action, state) {
      try {
        act(action, state)
      } catch (error) {
        broken = true
        mailbox.push({ type: 'io.failed', message: `${failed(action, context)}: ${messageOf(error)}` })
      }
    },
    kill() {
      for (const agent of agents.values()) agent.kill()
    },
    async close(state) {
      watch?.[Symbol.dispose]()
      timers.clear()
      channels.close()
      removal.finish()
      await launcher.endStrays(mortals(context, state))
      removePrivateFolder(privateFolders(run.dir))
    },
  }
}

/** What could not be done, and where. */
function failed(action: Action, { run }: Context): string {
  switch (action.kind) {
    case 'file-outcomes':
      return `outcomes of wave ${action.wave.id} cannot be kept in ${run.dir}`
    case 'append-text-events':
    case 'close-iteration':
      return `the events file ${run.eventsFile} cannot be written`
    case 'begin-iteration':
      return `files of the run cannot be made anew in ${run.workspace}`
    case 'start-agent':
    case 'stop-agent':
    case 'read-events':
    case 'open-stage':
    case 'resolve-dispatches':
    case 'merge-wave':
    case 'set-timer':
    case 'end':
      return action.kind
    default:
      return unreachable(action)
  }
}

/** Agents of a wave, those of earlier attempts too. */
function workersOf({ workers }: State, { id }: Wave): readonly number[] {
  return [...workers].flatMap(([n, work]) => (work.wave === id ? [n] : []))
}

/** Agents whose left-over processes end with the run: all, but those of workers where the config keeps them. */
function mortals({ settings }: Context, state: State): readonly number[] {
  const numbers: number[] = []
  for (let n = 1; n <= state.totals.agentsStarted; n++) {
    if (settings.features.strays !== 'keep' || !state.workerAgents.has(n)) numbers.push(n)
  }
  return numbers
}

/** What a person sent stands in the scratchpad too, for iterations after the acknowledgement. */
function noteGuidance({ run, settings, topology, blobs, report }: Context, action: BeginIteration): void {
  const [lead] = action.hats
  const pad = scratchpadOf(settings, lead === undefined ? undefined : topology.hat(lead))
  if (pad === null || action.guidance.length === 0) return
  try {
    appendGuidance(run.workspace, pad, action.guidance.map(blobs.read))
  } catch (error) {
    const message = `guidance could not be written into the scratchpad: ${messageOf(error)}`
    report({ type: 'error', iteration: action.iteration, code: 'scratchpad', message, recoverable: true })
  }
}

type BeginIteration = Extract<Action, { kind: 'begin-iteration' }>

/** Events of a text become lines like those of `ralph emit`. */
function appendTextEvents({ run, blobs }: Context, iteration: Iteration): void {
  const ts = formatTime(new Date())
  const agent = `${run.id}:${iteration.work.agent}`
  const lines = (iteration.end?.textEvents ?? []).map((event) =>
    formatRecord({ topic: event.topic, payload: blobs.read(event.payload), ts, agent }),
  )
  appendText(run.eventsFile, lines.join(''))
}

/** The summary row, for those who read the events file (contract/loop §4.2). */
function appendSummary({ run }: Context, state: State, iteration: Iteration): void {
  if (state.loop === null) return
  const end = iterationEnd(state, state.loop, iteration, { wall: Date.now(), mono: runningTime() })
  const { context_tokens, context_window } = end
  const pct = context_tokens === null || context_window === 0 ? null : (100 * context_tokens) / context_window
  const payload = JSON.stringify({
    duration_ms: end.duration_ms,
    cost_usd: end.cost_usd,
    cost_source: end.cost_source,
    num_turns: iteration.end?.turns ?? null,
    input_tokens: end.input_tokens,
    output_tokens: end.output_tokens,
    cache_read_tokens: end.cache_read_tokens,
    cache_write_tokens: end.cache_write_tokens,
    context_window,
    context_tokens,
    context_pct: pct === null ? null : Math.round(pct * 10) / 10,
  })
  appendLoopRow(run.eventsFile, { iteration: iteration.number, topic: 'iteration.summary', payload })
}

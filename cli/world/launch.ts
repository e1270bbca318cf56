import { startAgent } from '../../core/agent/agent.ts'
import type { AgentHandle, AgentNote, ProcessReport } from '../../core/agent/contract.ts'
import { createDescriptorCheck } from '../../core/agent/descriptors.ts'
import type { AgentEnd, Stray } from '../../core/agent/end.ts'
import { isShortage, messageOf } from '../../core/errors.ts'
import { unreachable } from '../../core/result.ts'
import type { State } from '../../core/run/state.ts'
import { findUndoing } from '../undoing-file.ts'
import { agentEnd, neverStarted, unkept } from './agent-end.ts'
import { createJob, eventsFileOf, padOf, type StartAgent } from './agent-job.ts'
import type { Channels } from './channels.ts'
import { type Context, partOf } from './context.ts'
import { endStrays } from './merge.ts'
import { narrateAgent } from './narrate-agent.ts'
import { readInnerSpending, writeAllowance } from './outer-run.ts'
import { removePrivateFolder } from './private-folder.ts'
import { readScratchpad } from './scratchpad.ts'

export interface Launcher {
  /** Ends what these agents left behind: what carries their markers, and what was found when they ended. */
  endStrays(agents: readonly number[]): Promise<void>
  /** Starts the agent of a work. Never throws: what becomes of it, also if it never starts, arrives in the inbox. */
  launch(action: StartAgent, state: State): void
}

/** What an agent left behind, and the group that it led. */
interface Left {
  readonly group: number | null
  readonly strays: readonly Stray[]
}

const NO_DESCRIPTORS =
  'too few file descriptors are left to start another agent (EMFILE; `ulimit -n` is too low)'

export function createLauncher(
  context: Context,
  agents: Map<number, AgentHandle>,
  channels: Channels,
): Launcher {
  const { run, blobs, mailbox, reaper } = context
  const noted = new Set<string>()
  const left = new Map<number, Left>()
  const hasDescriptors = createDescriptorCheck(context.settings.features.maxConcurrency)
  return {
    async endStrays(numbers) {
      const those = numbers.flatMap((n) => left.get(n) ?? [])
      await endStrays(
        numbers.map((n) => `${run.id}:${n}`),
        those.flatMap(({ strays }) => strays),
      )
      for (const n of numbers) left.delete(n)
      // Only now: were we to die before, the reaper would end them.
      for (const { group } of those) if (group !== null) reaper?.forget(group)
    },
    launch(action, state) {
      try {
        // One that runs alone is tried in any case: waiting for the end of others would help nothing.
        if (agents.size > 0 && !hasDescriptors(agents.size)) {
          mailbox.push({ type: 'agent.ended', n: action.n, end: neverStarted(NO_DESCRIPTORS, true) })
          return
        }
        const undone = undoingFile(action)
        if (undone !== null) {
          mailbox.push({ type: 'agent.ended', n: action.n, end: neverStarted(undone) })
          return
        }
        writeAllowance(run.dir, state)
        start(action, state.totals.agentsStarted)
      } catch (error) {
        // Its files cannot be made: as if the program could not be started.
        channels.closeWorker(action.n)
        mailbox.push({
          type: 'agent.ended',
          n: action.n,
          end: neverStarted(messageOf(error), isShortage(error)),
        })
      }
    },
  }

  /** Another agent may have written it since the run began. */
  function undoingFile({ backend: hat }: StartAgent): string | null {
    const { backend, options } = partOf(context.cast, hat)
    return options.access === undefined ? null : findUndoing(backend, options.access, run.workspace)
  }

  /** `last`: the highest number that was permitted together with this one. */
  function start(action: StartAgent, last: number): void {
    const { n, brief } = action
    const pad = padOf(context, brief)
    const before = readScratchpad(run.workspace, pad)
    const job = createJob(context, action)
    if (brief.kind !== 'iteration') {
      channels.openWorker(n, eventsFileOf(context, brief), brief.kind === 'item' ? null : brief.hat)
    }
    const tell = narrateAgent(context, brief)
    const { backend } = job
    if (!backend.traits.verified && !noted.has(backend.name)) tell.unverified(backend.name)
    noted.add(backend.name)

    let group: number | null = null
    const onNote = (note: AgentNote): void => {
      switch (note.type) {
        case 'started':
          group = note.pid
          reaper?.watch(group)
          mailbox.push({ ...note, type: 'agent.started', n })
          break
        case 'said':
          tell.said(note.event)
          break
        case 'quiet':
          tell.quiet(note.silentMs)
          break
        case 'lapsed':
          mailbox.push({ type: 'agent.lapsed', n, which: note.which })
          break
        case 'ended':
          agents.delete(n)
          if (note.end.strays.length > 0) left.set(n, { group, strays: note.end.strays })
          else if (group !== null) reaper?.forget(group)
          channels.closeWorker(n)
          // A worker's is kept for a further attempt.
          if (brief.kind === 'iteration') removePrivateFolder(job.task.privateDir)
          // A worker that lost its environment wrote to the main file.
          channels.readMain(false)
          mailbox.push({ type: 'agent.ended', n, end: endOf(note.end) })
          break
        default:
          unreachable(note)
      }
    }
    const endOf = (report: ProcessReport): AgentEnd => {
      try {
        const scratchpadChanged = pad !== null && readScratchpad(run.workspace, pad) !== before
        const end = agentEnd({ blobs, backend, report, scratchpadChanged })
        const inner = readInnerSpending(run.dir, n)
        return inner === null ? end : { ...end, inner }
      } catch (error) {
        // What cannot be kept is not believed: the run ends, and `--continue` does this work again.
        mailbox.push({ type: 'io.failed', message: messageOf(error) })
        return unkept(report)
      }
    }
    reaper?.expect(n, last)
    agents.set(n, startAgent(job, onNote))
  }
}

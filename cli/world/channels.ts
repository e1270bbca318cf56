import { closeSync } from 'node:fs'
import type { AgentHandle } from '../../core/agent/contract.ts'
import { messageOf } from '../../core/errors.ts'
import type { BadLine, Event, EventRecord } from '../../core/event.ts'
import { createAnew } from '../../core/events-file/create.ts'
import { createFollower, type Followed } from '../../core/events-file/follow.ts'
import type { EventsRead } from '../../core/events-file/reader.ts'
import { rulesOf, writeRules } from '../../core/events-file/rules.ts'
import type { Hat } from '../../core/hat.ts'
import type { Context } from './context.ts'
import { maskBadLines } from './mask-bad-lines.ts'

/** The events files of a run: what is written there becomes facts as it is seen. */
export interface Channels {
  /** Begins with the main events file, at a byte offset. */
  followMain(from: number): void
  /** Reads what is new in the main file. `final`: the iteration's agent has ended, and so has its last line. */
  readMain(final: boolean): void
  /** The results of a wave are about to be written into the main file: that they stand there is no news, and can wait. */
  restMain(): void
  /** Makes a worker's file, empty, with its rules beside it, and follows it. Throws the system's error. */
  openWorker(n: number, path: string, hat: Hat | null): void
  /** Reads a worker's file once more and leaves it. */
  closeWorker(n: number): void
  close(): void
}

type Surroundings = Pick<Context, 'run' | 'eventsDir' | 'control' | 'secrets' | 'report'> & {
  readonly mailbox: Pick<Context['mailbox'], 'push'>
  readonly blobs: Pick<Context['blobs'], 'store'>
}

/** Until an aggregator has started. */
const REST_MS = 50

/** `agents`: those that run, by number; a line of theirs is a sign of life. */
export function createChannels(context: Surroundings, agents: ReadonlyMap<number, AgentHandle>): Channels {
  const { run, mailbox, blobs, control, secrets } = context
  const follower = createFollower(context.eventsDir, {
    onUnwatched(reason) {
      const message = `${context.eventsDir} cannot be watched (${reason}): its files are looked at four times a second instead`
      context.report({ type: 'error', iteration: 0, code: 'unwatched', message, recoverable: true })
    },
  })
  const workers = new Map<number, Followed>()
  let main: Followed | null = null
  let offset = 0
  let failed = false

  const toEvent = (record: EventRecord): Event => ({ ...record, payload: blobs.store(record.payload) })
  const fail = (what: string, error: unknown): void =>
    mailbox.push({ type: 'io.failed', message: `${what}: ${messageOf(error)}` })
  const onError = (error: unknown): void => fail(`the events file ${run.eventsFile} cannot be read`, error)

  const shown = (bad: readonly BadLine[]): readonly BadLine[] => maskBadLines(bad, secrets)

  /** What cannot be kept is not believed, nor is anything behind it: `--continue` reads it again. */
  function keep(act: () => void): void {
    if (failed) return
    try {
      act()
    } catch (error) {
      failed = true
      fail(`an event cannot be kept in ${run.dir}`, error)
    }
  }

  function takeMain(read: EventsRead): void {
    for (const event of read.events) showLife(event)
    keep(() => {
      const events = read.events.map(toEvent)
      offset = read.offset
      mailbox.push({ type: 'events.read', events, bad: shown(read.bad), offset, final: false })
    })
  }

  function showLife(event: EventRecord): void {
    if (event.waveStatus !== undefined) return
    const n = event.agent?.startsWith(`${run.id}:`) ? Number(event.agent.slice(run.id.length + 1)) : null
    // Without a writer's name it is the iteration's own agent, which runs alone.
    const handle = n === null ? [...agents.values()].at(-1) : agents.get(n)
    handle?.eventAccepted()
    if (event.topic === control.completion || event.topic === control.cancellation) handle?.completionSeen()
  }

  return {
    followMain(from) {
      offset = from
      main = follower.add(run.eventsFile, { onRead: takeMain, onError }, { offset: from })
    },
    readMain(final) {
      main?.read({ closeLine: final })
      if (final) mailbox.push({ type: 'events.read', events: [], bad: [], offset, final: true })
    },
    restMain: () => main?.rest(REST_MS),
    openWorker(n, path, hat) {
      // Stays open: a lack of descriptors shows before the worker starts, and not when there are results to read.
      const fd = createAnew(path)
      try {
        if (hat !== null) writeRules(path, rulesOf(hat, control))
      } catch (error) {
        closeSync(fd)
        throw error
      }
      const onRead = (read: EventsRead): void => {
        agents.get(n)?.eventAccepted()
        keep(() => {
          mailbox.push({ type: 'worker.read', n, events: read.events.map(toEvent), bad: shown(read.bad) })
        })
      }
      // What a worker makes of its own file is its own failure, and no other's.
      const onLost = (error: unknown): void => {
        const reason = `the worker's events file cannot be read: ${messageOf(error)}`
        mailbox.push({ type: 'worker.read', n, events: [], bad: [{ line: 0, reason, excerpt: '' }] })
      }
      workers.set(n, follower.add(path, { onRead, onError: onLost }, { offset: 0, fd }))
    },
    closeWorker(n) {
      workers.get(n)?.finish({ closeLine: true })
      workers.delete(n)
    },
    close: () => follower.close(),
  }
}

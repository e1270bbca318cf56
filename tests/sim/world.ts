import type { AgentEnd, Lapse, StopCause } from '../../core/agent/end.ts'
import { inline } from '../../core/blob.ts'
import type { BadLine, Event, EventRecord } from '../../core/event.ts'
import { parseRecord } from '../../core/events-file/record.ts'
import type { Hat } from '../../core/hat.ts'
import { unreachable } from '../../core/result.ts'
import type { Action } from '../../core/run/action.ts'
import { controlTopics } from '../../core/run/control-topics.ts'
import type { FactBody } from '../../core/run/fact.ts'
import type { State } from '../../core/run/state.ts'
import type { World } from '../../core/run/world.ts'
import { mergeLines, missingLines } from '../../core/wave/merge.ts'
import type { Outcome, Wave, Work } from '../../core/wave/wave.ts'
import { type Behaviour, behave } from './behaviour.ts'
import type { Random } from './random.ts'

/** `kill -9` of ralph, wherever it happens. */
export class Crash extends Error {}

/** What a run must not do, and what it did. */
export class Violation extends Error {}

/** What outlives a crash. */
export interface Disk {
  /** The journal's whole records. */
  readonly journal: string[]
  /** The main events file. */
  readonly main: MainLine[]
  /** Workers' files, by work. */
  readonly workers: Map<string, (Event | null)[]>
  /** `outcome.json` by work. */
  readonly outcomes: Map<string, string>
  /** Wall clock. */
  time: number
  /** All agents that were ever started. */
  readonly agents: Map<number, Agent>
  readonly waves: string[]
}

export type MainLine =
  | { readonly kind: 'event'; readonly event: Event; readonly n: number }
  | { readonly kind: 'bad' }
  | { readonly kind: 'merged'; readonly text: string; readonly event: EventRecord }

/** What is true of an agent, whatever the run knows of it. */
export interface Agent {
  readonly n: number
  readonly work: string
  readonly hat: string
  readonly wave: string | null
  /** Its snapshot, if it plays an item. */
  readonly plays: Hat | null
  readonly behaviour: Behaviour
  /** Events in its own file when its end was noted. */
  sealed: readonly Event[] | null
  state: 'alive' | 'gone' | 'reported'
  stopping: StopCause | null
}

export interface SimWorld extends World {
  /** Agents that the run has not been told are gone. */
  readonly alive: ReadonlySet<Agent>
}

export interface WorldOptions {
  readonly disk: Disk
  readonly random: Random
  /** Mono clock of this invocation at its start. */
  readonly mono: number
  readonly faults: Faults
  /** Called at each place where a crash may cut; throws `Crash` where it does. */
  readonly cut: (where: string) => void
  readonly continued: boolean
  readonly onStart: (action: Action, state: State) => void
  /** Nothing is permitted: only a fact can change that. */
  readonly onQuiet: () => void
}

export interface Faults {
  /** Longest time until a fact is noticed, ms. */
  readonly latency: number
  /** How often a fact comes twice. */
  readonly duplicates: number
  /** When a person, a signal or the disk ends the run, ms after its start. */
  readonly stop: { readonly at: number; readonly fact: FactBody } | null
  /** How often a merge cannot be written. */
  readonly mergeFails: number
}

interface Due {
  readonly at: number
  readonly order: number
  readonly act: () => void
  /** A run that waits for this alone hangs. */
  readonly isLastResort: boolean
}

export function createSimWorld(of: WorldOptions): SimWorld {
  const { disk, random, faults } = of
  const began = disk.time
  const alive = new Set<Agent>()
  const schedule: Due[] = []
  let order = 0
  let mailbox: FactBody[] = []
  let readFrom = 0
  let runId = ''
  let isFirst = true
  let hasLoop = true
  let looks = 0

  const later = (ms: number, act: () => void, isLastResort = false): void => {
    const due = { at: disk.time + ms, order: order++, act, isLastResort }
    let i = schedule.length
    while (i > 0) {
      const before = schedule[i - 1]
      if (before === undefined || before.at < due.at || (before.at === due.at && before.order < due.order))
        break
      i--
    }
    schedule.splice(i, 0, due)
  }
  const push = (fact: FactBody): void => {
    mailbox.push(fact)
    if (faults.duplicates > 0 && isRepeatable(fact) && random.chance(faults.duplicates)) {
      if (random.chance(0.5)) mailbox.push(fact)
      else later(random.int(1, 2000), () => mailbox.push(fact))
    }
  }
  const latency = (): number => (faults.latency === 0 ? 0 : random.int(0, faults.latency))

  function readMain(final: boolean): void {
    const lines = disk.main.slice(readFrom)
    readFrom = disk.main.length
    if (lines.length > 0) {
      const events = lines.flatMap((line): Event[] => {
        if (line.kind === 'bad') return []
        return [line.kind === 'event' ? line.event : { ...line.event, payload: inline(line.event.payload) }]
      })
      const bad = lines.filter((line) => line.kind === 'bad').map(() => BAD)
      mailbox.push({ type: 'events.read', events, bad, offset: readFrom, final: false })
    }
    if (final) mailbox.push({ type: 'events.read', events: [], bad: [], offset: readFrom, final: true })
  }

  /** How far a worker's file has been followed, by agent. */
  const followed = new Map<number, number>()
  function readWorker(agent: Agent): void {
    const lines = disk.workers.get(agent.work) ?? []
    const from = followed.get(agent.n)
    if (from === undefined || lines.length <= from) return
    followed.set(agent.n, lines.length)
    mailbox.push({ type: 'worker.read', n: agent.n, ...partLines(lines.slice(from)) })
  }

  function write(agent: Agent, to: 'own' | 'main', event: Event | null): void {
    if (hasLoop && (to === 'main' || agent.wave === null)) {
      disk.main.push(event === null ? { kind: 'bad' } : { kind: 'event', event, n: agent.n })
      later(latency(), () => readMain(false))
    } else {
      disk.workers.get(agent.work)?.push(event)
      later(latency(), () => readWorker(agent))
    }
  }

  function startAgent(action: Extract<Action, { kind: 'start-agent' }>, state: State): void {
    const { n, work, brief } = action
    runId = state.run.id
    const behaviour = behave({
      n,
      runId,
      brief,
      random,
      knownWaves: disk.waves,
      iteration: state.loop?.iteration ?? 0,
    })
    const plays = work.wave === null ? null : (state.waves.get(work.wave)?.hats[work.hat] ?? null)
    const agent: Agent = {
      n,
      work: work.id,
      hat: work.hat,
      wave: work.wave,
      plays,
      behaviour,
      sealed: null,
      state: 'alive',
      stopping: null,
    }
    disk.agents.set(n, agent)
    alive.add(agent)
    if (work.wave !== null) {
      disk.workers.set(work.id, [])
      followed.set(n, 0)
    }
    const { end } = behaviour
    if (end?.how.spawnError != null) {
      later(1, () => leave(agent, end.how))
      return
    }
    later(random.int(0, 20), () =>
      push({ type: 'agent.started', n, pid: 1000 + n, startTime: '0', bootId: 'b' }),
    )
    for (const { at, to, event } of behaviour.writings) {
      // What is written after the end comes from a process that the agent left behind.
      later(at, () => {
        if (agent.stopping === null || agent.state === 'alive') write(agent, to, event)
      })
    }
    if (end !== null) later(end.at, () => leave(agent, end.how))
    const lapse = (ms: number, which: Lapse): void =>
      later(ms, () => {
        if (agent.state === 'alive') push({ type: 'agent.lapsed', n, which })
      })
    if (action.limitSeconds !== null) lapse(action.limitSeconds * 1000, 'limit')
    if (end === null && behaviour.lingers) lapse(15_000, 'lingering')
    if (end === null && action.inactivitySeconds !== null)
      lapse(action.inactivitySeconds * 1000, 'inactivity')
    if (end === null && action.limitSeconds === null && action.inactivitySeconds === null)
      throw new Violation(`agent ${n} hangs, and nothing limits it`)
  }

  /** The process is gone. The run hears of it later: first what it wrote, then its end. */
  function leave(agent: Agent, end: AgentEnd): void {
    if (agent.state !== 'alive') return
    agent.state = 'gone'
    later(latency(), () => {
      agent.state = 'reported'
      agent.sealed = (disk.workers.get(agent.work) ?? []).filter((one) => one !== null)
      readWorker(agent)
      followed.delete(agent.n)
      readMain(false)
      alive.delete(agent)
      push({ type: 'agent.ended', n: agent.n, end })
    })
  }

  function stopAgent(n: number, cause: StopCause): void {
    const agent = [...alive].find((one) => one.n === n)
    if (agent === undefined || agent.stopping !== null) return
    agent.stopping = cause
    later(random.int(0, 260), () => leave(agent, { ...KILLED, stoppedFor: cause }))
  }

  function merge(wave: Wave, state: State): void {
    if (random.chance(faults.mergeFails)) {
      later(1, () => push({ type: 'io.failed', message: 'disk full' }))
      return
    }
    const control = controlTopics(state)
    const lines = mergeLines({ wave, topology: state.topology, control, read, now: 'now' })
    const written = disk.main.flatMap((line) => (line.kind === 'merged' ? [line.event] : []))
    const missing = of.continued ? missingLines(lines, wave.id, written) : lines
    for (const text of missing) {
      const line = parseRecord(text.trimEnd())
      if (line.kind !== 'event') throw new Violation(`the merge wrote no event: ${text}`)
      of.cut('within a merge')
      disk.main.push({ kind: 'merged', text, event: line.event })
    }
    of.cut('after a merge was written')
    for (const work of wave.works) disk.workers.delete(work.id)
    later(random.int(1, 100), () => push({ type: 'wave.merged', wave: wave.id, change: null }))
  }

  function fileOutcomes(works: readonly Work[]): void {
    for (const { id, outcome } of works) {
      if (outcome === null) throw new Violation(`item ${id} is filed without an outcome`)
      const text = JSON.stringify([outcome.status, outcome.events])
      const before = disk.outcomes.get(id)
      if (before !== undefined && before !== text)
        throw new Violation(`item ${id} had an outcome, and got another: ${before} → ${text}`)
      of.cut('between two outcomes')
      disk.outcomes.set(id, text)
    }
  }

  function act(action: Action, state: State): void {
    switch (action.kind) {
      case 'start-agent':
        startAgent(action, state)
        break
      case 'stop-agent':
        stopAgent(action.n, action.cause)
        break
      case 'read-events':
        readMain(true)
        break
      case 'append-text-events':
        for (const event of action.iteration.end?.textEvents ?? [])
          disk.main.push({ kind: 'event', event, n: action.iteration.work.agent })
        readMain(true)
        break
      case 'file-outcomes':
        fileOutcomes(action.works)
        break
      case 'merge-wave':
        merge(action.wave, state)
        break
      case 'close-iteration':
        push({ type: 'iteration.closed', iteration: action.iteration.number })
        break
      case 'set-timer':
        later(
          action.ms,
          () => push({ type: 'timer.fired', timer: action.timer }),
          action.timer.kind === 'runtime',
        )
        break
      case 'resolve-dispatches':
        for (const plan of action.resolution.plans) disk.waves.push(plan.id)
        break
      case 'begin-iteration':
      case 'open-stage':
      case 'end':
        break
      default:
        unreachable(action)
    }
  }

  function tick(): void {
    const due = schedule.shift()
    if (due === undefined || (due.isLastResort && schedule.length === 0 && mailbox.length === 0))
      throw new Violation('the run waits, and nothing will ever come')
    disk.time = Math.max(disk.time, due.at)
    due.act()
  }

  if (faults.stop !== null) {
    const { at, fact } = faults.stop
    later(at, () => push(fact))
  }
  return {
    alive,
    clock: {
      // Two looks never see the same time, as with a real clock.
      now() {
        looks += 1
        return { wall: disk.time, mono: of.mono + disk.time - began + looks * 1e-6 }
      },
    },
    inbox: {
      async drain() {
        if (mailbox.length === 0) of.onQuiet()
        while (mailbox.length === 0) tick()
        while ((schedule[0]?.at ?? Infinity) < disk.time + 100 && random.chance(0.2)) tick()
        const arrived = mailbox
        mailbox = []
        return arrived
      },
    },
    start(action, state) {
      if (isFirst) {
        isFirst = false
        hasLoop = state.loop !== null
        readFrom = state.loop?.readOffset ?? 0
        later(latency(), () => readMain(false))
      }
      of.cut(`before ${action.kind}`)
      of.onStart(action, state)
      act(action, state)
      of.cut(`after ${action.kind}`)
    },
    report() {},
    read,
  }
}

/** What an invocation finds in the files of workers that were cut: as the shell reads it before it goes on. */
export function unreadLines(disk: Disk, state: State): readonly FactBody[] {
  const works = [...state.waves.values()].flatMap((wave) =>
    wave.works.filter((one) => one.status !== 'settled'),
  )
  return works.flatMap((work): FactBody[] => {
    const lines = disk.workers.get(work.id)
    if (work.agent === 0 || lines === undefined || lines.length <= work.linesRead) return []
    return [{ type: 'worker.read', n: work.agent, ...partLines(lines.slice(work.linesRead)) }]
  })
}

/** What agents that outlive a crash write until the next invocation ends them. */
export function surviveCrash(disk: Disk, random: Random): void {
  for (const agent of disk.agents.values()) {
    if (agent.state === 'reported') continue
    if (agent.state === 'alive' && random.chance(0.3)) {
      const lines = disk.workers.get(agent.work) ?? []
      for (const { to, event } of agent.behaviour.writings.slice(lines.length)) {
        if (agent.wave === null || to === 'main')
          disk.main.push(event === null ? { kind: 'bad' } : { kind: 'event', event, n: agent.n })
        else lines.push(event)
      }
    }
    agent.state = 'reported'
    agent.sealed = (disk.workers.get(agent.work) ?? []).filter((one) => one !== null)
  }
}

function partLines(lines: readonly (Event | null)[]): { events: Event[]; bad: BadLine[] } {
  return {
    events: lines.filter((one) => one !== null),
    bad: lines.filter((one) => one === null).map(() => BAD),
  }
}

/** Facts that may be told twice: the fold must not take the second for news. */
function isRepeatable(fact: FactBody): boolean {
  switch (fact.type) {
    case 'agent.started':
    case 'agent.lapsed':
    case 'agent.ended':
    case 'iteration.closed':
    case 'wave.merged':
    case 'stop.asked':
      return true
    case 'timer.fired':
      return fact.timer.kind !== 'phase'
    default:
      return false
  }
}

function read(blob: Outcome['events'][number]['payload']): string {
  if ('inline' in blob) return blob.inline
  throw new Violation('the simulation has no files')
}

const BAD: BadLine = { line: 1, reason: 'no valid JSON', excerpt: '{' }

const KILLED: AgentEnd = {
  exitCode: null,
  signal: 'SIGTERM',
  spawnError: null,
  stoppedFor: null,
  failure: null,
  usage: null,
  costUsd: null,
  turns: null,
  finalMessage: inline(''),
  textEvents: [],
  lastLine: '',
  durationMs: 10,
  tail: '',
  strays: [],
  scratchpadChanged: false,
}

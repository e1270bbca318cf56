import { createTopology } from '../topology.ts'
import { nextStage } from '../wave/chain.ts'
import { interrupted } from '../wave/outcome.ts'
import { requeue, settle } from '../wave/queue.ts'
import { createRoom } from '../wave/room.ts'
import type { Wave, Work } from '../wave/wave.ts'
import { countCut, takeFound } from './absorb-recovered.ts'
import { afterWaves } from './absorb-wave.ts'
import { resume } from './assess.ts'
import { createCounters } from './create.ts'
import { deliverChain } from './deliver-results.ts'
import type { Fact } from './fact.ts'
import { COORDINATOR, giveBack, giveBackIteration, takeAll } from './inbox.ts'
import type { Iteration, Loop } from './loop.ts'
import type { State } from './state.ts'

/**
 * Goes on with a run of which all is known but what was under way (contract/loop §11): a cut iteration gives its events
 * back, unfinished items of waves run again, settled ones never do. Counters of failures and silence start at zero.
 */
export function absorbResumed(state: State, fact: Extract<Fact, { type: 'loop.resumed' }>): void {
  const { loop } = state
  if (loop === null) throw new Error('the journal has a fact of a loop, but this run has none')
  if (fact.config !== undefined) {
    state.rules = fact.config.rules
    state.topology = createTopology(fact.config.hats)
  }
  state.ended = null
  state.stop = null
  state.due = []
  state.throttle.clear()
  state.paces.clear()
  state.room = createRoom()
  state.runtimeArmed = false
  state.earlierMs = fact.totalLimits ? state.pastMs : 0
  state.runtimeUp = fact.totalLimits && state.earlierMs >= state.rules.eventLoop.maxRuntimeSeconds * 1000
  state.totals.unknownCosts += countCut(state)
  state.running.clear()
  state.workers.clear()
  if (!fact.totalLimits) loop.iterationsHere = 0
  if (fact.objective !== null) {
    loop.objective = fact.objective
    loop.completion = null
    loop.cancelled = false
  }
  loop.counters = createCounters()

  const cutFrom = firstCutAgent(state, loop)
  takeFound(state, fact.found ?? [])
  state.lost = { waves: fact.lost ?? [], since: loop.iteration }

  const filed = new Set(fact.filed)
  for (const wave of state.waves.values()) reopen(wave, filed, fact.mono)
  endChains(state, loop)
  loop.phase = phaseAfter(state, loop)
  if (loop.phase.at === 'ready') {
    loop.inherited = loop.backlog.length
    loop.cutFrom = Math.min(loop.cutFrom ?? Infinity, cutFrom)
  }
  reroute(state, loop)
  resume(state, [], 'The run goes on after an interruption. Look at what is there before you continue.')
}

/** True where a resumed loop begins with a new iteration: all that was under way is done, or given back. */
export function isAtRest(state: State, loop: Loop): boolean {
  switch (loop.phase.at) {
    case 'ready':
    case 'cooling':
    case 'begun':
    case 'acting':
    case 'backing-off':
      return true
    case 'reading':
    case 'quoting':
    case 'awaiting-lines':
    case 'closing':
      return loop.current !== null && wasCut(loop.current)
    case 'waving':
      return state.waves.size === 0 && loop.continuations.length === 0 && loop.current === null
    case 'dispatching':
      return false
  }
}

/** Its agent was ended before its time. */
function wasCut({ end }: Iteration): boolean {
  return end === null || end.stoppedFor === 'interrupt'
}

/** The first agent of an iteration that is given back; else the first of which the journal, whose end may be lost, knows nothing. */
function firstCutAgent({ totals }: State, { current, phase }: Loop): number {
  const isUnderWay = current !== null && phase.at !== 'ready' && phase.at !== 'cooling'
  return isUnderWay && current.work.agent > 0
    ? current.work.agent - current.work.attempts + 1
    : totals.agentsStarted + 1
}

/** Where the loop stands once nothing of the old invocation runs any more. */
function phaseAfter(state: State, loop: Loop): Loop['phase'] {
  const { phase, current } = loop
  switch (phase.at) {
    case 'ready':
    case 'cooling':
      return { at: 'ready' }
    case 'waving':
      return state.waves.size > 0 || loop.continuations.length > 0 ? phase : afterWaves(loop)
    case 'dispatching':
      return phase
    case 'begun':
    case 'acting':
    case 'backing-off':
      if (current !== null) giveBackIteration(loop, current)
      return { at: 'ready' }
    case 'reading':
    case 'quoting':
    case 'awaiting-lines':
    case 'closing':
      if (current !== null && wasCut(current)) {
        giveBackIteration(loop, current)
        return { at: 'ready' }
      }
      return { at: phase.at === 'awaiting-lines' ? 'reading' : phase.at, asked: false }
  }
}

/** Results that the config of now gives to no further stage are delivered. */
function endChains(state: State, loop: Loop): void {
  loop.continuations = loop.continuations.filter((id) => {
    const wave = state.merged.get(id)
    if (wave === undefined || nextStage(wave, state.topology).items.length > 0) return true
    deliverChain(state, loop, wave)
    return false
  })
}

/** The deadline starts anew; what waits or was cut is queued again, in index order. */
function reopen(wave: Wave, filed: ReadonlySet<string>, mono: number): void {
  wave.openedMono = mono
  wave.deadlineArmed = false
  wave.deadlinePassed = false
  wave.finish = 'open'
  wave.runningCount = 0
  wave.waiting = 0
  wave.active.clear()
  wave.retries = []
  wave.lastFailures.clear()
  wave.unfiled = wave.unfiled.filter((work) => !filed.has(work.id))
  const again: Work[] = []
  for (const work of wave.works) {
    if (work.status === 'settled') continue
    if (work.accepted.length > 0) settle(wave, work, interrupted(work))
    else again.push(work)
  }
  requeue(wave, again)
}

/** Letters for hats that the config no longer has go where routing sends them now. */
function reroute(state: State, loop: Loop): void {
  const known = (hat: string): boolean => hat === COORDINATOR || state.topology.hat(hat) !== undefined
  if ([...loop.inboxes.keys()].every(known)) return
  const moved = takeAll(loop).map(({ hat, letter }) => {
    if (known(hat)) return { hat, letter }
    const receiver = letter.kind === 'event' ? state.topology.receiver(letter.event.topic) : null
    return { hat: receiver?.id ?? COORDINATOR, letter }
  })
  giveBack(loop, moved)
}

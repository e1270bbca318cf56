import { unreachable } from '../result.ts'
import { expectWake, wake } from '../wave/pace.ts'
import { absorbEnded, absorbIntended, absorbLapsed, absorbStopping } from './absorb-agent.ts'
import { absorbWorkerRead, passDeadline, retryItem } from './absorb-item.ts'
import { absorbBegun, absorbClosed, absorbOpened, absorbRead, passPhaseTimer } from './absorb-loop.ts'
import { absorbRecovered } from './absorb-recovered.ts'
import { absorbResumed } from './absorb-resume.ts'
import { absorbMerged, absorbResolved, openRedriven, openStage, openWave } from './absorb-wave.ts'
import type { Asked, Fact, TimerId } from './fact.ts'
import type { State, Stop } from './state.ts'

/**
 * Folds one fact into the state, in place: the only function that changes it.
 * Costs the same whatever is queued. Throws only where the journal contradicts itself.
 */
export function absorb(state: State, fact: Fact): State {
  state.news = []
  if (fact.type === 'loop.opened' || fact.type === 'loop.resumed') beginInvocation(state, fact)
  state.lastMono = fact.mono
  switch (fact.type) {
    case 'loop.opened':
      absorbOpened(state, fact)
      break
    case 'loop.resumed':
      absorbResumed(state, fact)
      break
    case 'iteration.begun':
      absorbBegun(state, fact)
      break
    case 'agent.intended':
      absorbIntended(state, fact)
      break
    case 'agent.started': {
      const running = state.running.get(fact.n)
      if (running) {
        running.pid = fact.pid
        running.process = { startTime: fact.startTime, bootId: fact.bootId }
      }
      break
    }
    case 'agent.lapsed':
      absorbLapsed(state, fact)
      break
    case 'agent.stopping':
      absorbStopping(state, fact)
      break
    case 'agent.ended':
      absorbEnded(state, fact)
      break
    case 'worker.read':
      absorbWorkerRead(state, fact)
      break
    case 'events.read':
      absorbRead(state, fact)
      break
    case 'dispatches.resolved':
      absorbResolved(state, fact)
      break
    case 'wave.opened':
      openWave(state, fact.plan, fact)
      break
    case 'stage.opened':
      openStage(state, fact)
      break
    case 'item.recovered':
      absorbRecovered(state, fact)
      break
    case 'wave.redriven':
      openRedriven(state, fact)
      break
    case 'wave.merged':
      absorbMerged(state, fact)
      break
    case 'iteration.closed':
      absorbClosed(state, fact)
      break
    case 'timer.fired':
      absorbTimer(state, fact.timer)
      break
    case 'stop.asked':
      absorbStop(state, {
        reason: fact.signal === undefined ? 'stopped' : 'interrupted',
        how: fact.how,
        ...(fact.signal === undefined ? {} : { signal: fact.signal }),
      })
      break
    case 'workspace.gone':
      absorbStop(state, {
        reason: 'workspace_gone',
        how: 'now',
        message: `the workspace ${state.run.workspace} is gone`,
      })
      break
    case 'io.failed':
      absorbStop(state, { reason: 'io_error', how: 'now', message: fact.message })
      break
    case 'run.ended':
      if (state.running.size > 0)
        throw new Error(`the run would end with ${state.running.size} agents running`)
      state.ended = fact.reason
      break
    case 'asked':
      absorbAsked(state, fact.what)
      break
    default:
      unreachable(fact)
  }
  return state
}

/** Clocks are counted by invocation: the monotonic one starts anew with each. */
function beginInvocation(state: State, fact: Fact): void {
  state.pastMs += state.lastMono - state.beganMono
  state.beganMono = fact.mono
}

/** First cause wins; a wish to end now hardens an earlier wish to drain. */
function absorbStop(state: State, stop: Stop): void {
  if (state.stop === null || (state.stop.how === 'drain' && stop.how === 'now')) state.stop = stop
  if (state.stop.how !== 'now') return
  for (const running of state.running.values()) {
    if (running.stopping === null) state.due.push({ n: running.n, cause: 'interrupt' })
  }
}

function absorbTimer(state: State, timer: TimerId): void {
  switch (timer.kind) {
    case 'deadline':
      passDeadline(state, timer.wave)
      break
    case 'retry':
      retryItem(state, timer.work)
      break
    case 'phase':
      passPhaseTimer(state)
      break
    case 'runtime':
      state.runtimeUp = true
      break
    case 'start':
      wake(state.paces, timer.backend, timer.at)
      break
    default:
      unreachable(timer)
  }
}

function absorbAsked(state: State, what: Asked): void {
  if (what.kind === 'runtime') {
    state.runtimeArmed = true
    return
  }
  if (what.kind === 'start') {
    expectWake(state.paces, what.backend, what.at)
    return
  }
  if (what.kind === 'phase') {
    const { loop } = state
    if (loop !== null && 'asked' in loop.phase) loop.phase = { ...loop.phase, asked: true }
    return
  }
  const wave = state.waves.get(what.wave)
  if (wave === undefined) return
  switch (what.kind) {
    case 'merge':
      wave.finish = 'merging'
      break
    case 'file':
      wave.unfiled = []
      break
    case 'deadline':
      wave.deadlineArmed = true
      break
    case 'retry':
      wave.retries = []
      break
    default:
      unreachable(what)
  }
}

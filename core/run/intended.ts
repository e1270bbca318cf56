import { unreachable } from '../result.ts'
import type { Action } from './action.ts'
import type { Asked, FactBody } from './fact.ts'

/** The fact that an action was permitted: recorded before it is done, so that it is never permitted twice. */
export function intended(action: Action): FactBody {
  switch (action.kind) {
    case 'begin-iteration': {
      const { iteration, hats, exhausted } = action
      return { type: 'iteration.begun', iteration, hats, exhausted }
    }
    case 'start-agent':
      return { type: 'agent.intended', n: action.n, work: action.work.id, attempt: action.attempt }
    case 'stop-agent':
      return { type: 'agent.stopping', n: action.n, cause: action.cause }
    case 'resolve-dispatches':
      return { type: 'dispatches.resolved', resolution: action.resolution }
    case 'open-stage':
      return { type: 'stage.opened', after: action.after, plan: action.plan, exhausted: action.exhausted }
    case 'end':
      return { type: 'run.ended', reason: action.reason }
    case 'read-events':
    case 'append-text-events':
    case 'close-iteration':
      return asked({ kind: 'phase' })
    case 'merge-wave':
      return asked({ kind: 'merge', wave: action.wave.id })
    case 'file-outcomes':
      return asked({ kind: 'file', wave: action.wave.id })
    case 'set-timer':
      return asked(askedTimer(action))
    default:
      return unreachable(action)
  }
}

function askedTimer({ timer }: Extract<Action, { kind: 'set-timer' }>): Asked {
  switch (timer.kind) {
    case 'deadline':
      return { kind: 'deadline', wave: timer.wave }
    case 'retry':
      return { kind: 'retry', wave: timer.work.slice(0, timer.work.lastIndexOf('/')) }
    case 'phase':
      return { kind: 'phase' }
    case 'runtime':
      return { kind: 'runtime' }
    case 'start':
      return timer
    default:
      return unreachable(timer)
  }
}

function asked(what: Asked): FactBody {
  return { type: 'asked', what }
}

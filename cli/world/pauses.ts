import { holdTime, releaseTime } from '../../core/agent/running-time.ts'
import { signal } from '../../core/agent/strays.ts'
import type { State } from '../../core/run/state.ts'

/**
 * Ctrl-Z stops the agents together with us, though they lead sessions of their own, and what continues us continues them.
 * Until it is disposed.
 */
export function followPauses(state: State): Disposable {
  const toAgents = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const { pid } of state.running.values()) if (pid !== null) signal(-pid, name)
  }
  const pause = (): void => {
    holdTime()
    toAgents('SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  }
  const resume = (): void => {
    toAgents('SIGCONT')
    releaseTime()
  }
  process.on('SIGTSTP', pause)
  process.on('SIGCONT', resume)
  return {
    [Symbol.dispose]() {
      process.off('SIGTSTP', pause)
      process.off('SIGCONT', resume)
    },
  }
}

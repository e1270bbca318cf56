import type { Stop, StopReason } from './state.ts'

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The process's exit code for a stop reason (contract/loop §1). */
export function exitCode(reason: StopReason, signal: Stop['signal']): number {
  switch (reason) {
    case 'completed':
    case 'cancelled':
      return 0
    case 'max_iterations':
    case 'max_runtime':
    case 'max_cost':
    case 'max_tokens':
    case 'max_agents':
      return 2
    case 'interrupted':
      return signal === undefined ? 130 : SIGNAL_CODES[signal]
    case 'consecutive_failures':
    case 'validation_failure':
    case 'loop_stale':
    case 'no_progress':
    case 'backend_unavailable':
    case 'stopped':
    case 'workspace_gone':
    case 'io_error':
      return 1
  }
}

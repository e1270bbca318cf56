import type { Blob } from './blob.ts'

/** Characters of a payload that an event shows, at most; views cut further. */
export const PREVIEW = 200

/**
 * What the core tells observers of a run. Never routed, never written by agents.
 * Field names are those of the NDJSON of `ralph run --json` (contract/loop §15, contract/waves §14), so that the JSON view is a plain print.
 * Times are Unix milliseconds. `cost_usd` is null where unknown.
 */
export type RunEvent =
  | LoopStarted
  | {
      readonly type: 'iteration_start'
      readonly iteration: number
      readonly max_iterations: number
      /** Id of the first active hat, or `ralph`. */
      readonly hat: string
      readonly hat_display: string
      readonly backend: string
      readonly started_at: number
      readonly hats: readonly string[]
    }
  | IterationEnd
  | { readonly type: 'text_delta'; readonly iteration: number; readonly delta: string }
  | {
      readonly type: 'tool_call_start'
      readonly iteration: number
      readonly tool_name: string
      readonly tool_call_id: string
      readonly input: string
    }
  | {
      readonly type: 'tool_call_end'
      readonly iteration: number
      readonly tool_call_id: string
      readonly output: string
      readonly is_error: boolean
      readonly duration_ms: number
    }
  | {
      readonly type: 'hat_changed'
      readonly iteration: number
      readonly from_hat: string
      readonly to_hat: string
      readonly to_hat_display: string
      readonly reason: string
    }
  | {
      readonly type: 'orchestration_event'
      readonly topic: string
      readonly payload: string
      readonly source?: string
      readonly target?: string
      readonly wave_id?: string
      readonly wave_index?: number
    }
  | {
      /** Warnings are errors that are recoverable. */
      readonly type: 'error'
      readonly iteration: number
      readonly code: string
      readonly message: string
      readonly recoverable: boolean
      readonly class?: string
      readonly retry_at?: number
      readonly wave_id?: string
      readonly wave_index?: number
      /** Of a worker that is to run again: the attempt that comes, how many there are in all, and its item. */
      readonly attempt?: number
      readonly max_attempts?: number
      readonly payload_preview?: string
    }
  | WaveStarted
  | {
      readonly type: 'wave_worker_started'
      readonly wave_id: string
      readonly index: number
      readonly total: number
      readonly hat: string
      readonly backend: string
      readonly attempt: number
    }
  | {
      readonly type: 'wave_worker_text_delta'
      readonly worker_index: number
      readonly delta: string
      readonly wave_id: string
    }
  | {
      readonly type: 'wave_worker_event'
      readonly wave_id: string
      readonly index: number
      readonly topic: string
    }
  | WaveWorkerDone
  | WaveCompleted
  | LoopTerminated

export interface LoopStarted {
  readonly type: 'loop_started'
  readonly prompt: string
  readonly max_iterations: number
  readonly backend: string
  readonly workspace_root: string
  readonly started_at: number
  readonly run_id: string
  readonly continued: boolean
}

export interface IterationEnd {
  readonly type: 'iteration_end'
  readonly iteration: number
  readonly duration_ms: number
  readonly cost_usd: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cache_read_tokens: number | null
  readonly cache_write_tokens: number | null
  readonly context_window: number
  readonly context_tokens: number | null
  readonly loop_complete_triggered: boolean
  readonly success: boolean
  /** Why it was no success, else null. */
  readonly reason: string | null
  readonly cost_source: CostSource
}

export type CostSource = 'reported' | 'derived' | null

export interface WaveStarted {
  readonly type: 'wave_started'
  readonly hat_name: string
  readonly worker_count: number
  readonly timeout_secs: number
  readonly wave_id: string
  readonly hats: readonly string[]
  readonly topics: readonly string[]
  /** Null for a wave from the shell. */
  readonly deadline_secs: number | null
  readonly inferred: boolean
  /** Sum over the hats. */
  readonly concurrency: number
  /** Items that do not run, because an earlier wave has their outcome. */
  readonly reused?: number
  /** The wave of which this one runs a part again. */
  readonly redrive_of?: string
}

/** Where an outcome was paid for. */
export interface ReusedFrom {
  readonly run_id: string
  readonly wave_id: string
  readonly index: number
}

export interface WaveWorkerDone {
  readonly type: 'wave_worker_done'
  readonly index: number
  readonly total: number
  readonly duration_ms: number
  readonly success: boolean
  readonly payload_preview: string
  readonly wave_id: string
  readonly hat: string
  readonly status: string
  readonly reason: string | null
  readonly attempts: number
  readonly cost_usd: number | null
  readonly cost_source: CostSource
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** There only if the item did not run here; its cost then belongs to that run. */
  readonly reused?: ReusedFrom
  /** Path of the worker's log, for failures that have one. */
  readonly log: string | null
}

export interface WaveCompleted {
  readonly type: 'wave_completed'
  readonly succeeded: number
  readonly failed: number
  readonly duration_ms: number
  readonly wave_id: string
  readonly timed_out: boolean
  readonly statuses: Readonly<Record<string, number>>
  /** Items that the deadline kept from starting, for the line that names the settings. */
  readonly never_started: number
  readonly workspace_changed?: WorkspaceChange
}

/** What a wave did to the Git workspace (contract/waves §7.2). */
export interface WorkspaceChange {
  readonly head: boolean
  readonly stash: boolean
  readonly files: number
  /** Up to 20. */
  readonly paths: readonly string[]
}

export interface LoopTerminated {
  readonly type: 'loop_terminated'
  readonly reason: string
  readonly total_iterations: number
  readonly duration_ms: number
  readonly total_cost_usd: number | null
  readonly terminated_at: number
  readonly exit_code: number
  /** The run's result, on `completed` only. */
  readonly result: string | null
  readonly cost_source: CostSource
  /** Agents of which nobody knows what they cost: the total lacks them. */
  readonly agents_without_cost: number
  /** What went wrong, where the reason alone does not say it. */
  readonly message?: string
  /** Whose account is in trouble, where that ended the run. */
  readonly trouble?: AccountTrouble
  readonly open_waves: readonly {
    readonly wave_id: string
    readonly settled: number
    readonly total: number
  }[]
}

/** What a provider will do nothing more for, until a person has done something about it. */
export interface AccountTrouble {
  readonly backend: string
  readonly class: 'auth' | 'quota'
  /** How a person logs in to that program, where its plugin says so. */
  readonly login?: string
  /** When the provider is free again, if it said so. Unix milliseconds. */
  readonly retry_at?: number
}

/** Where the core reports to. Must not throw. */
export type Report = (event: RunEvent) => void

/** A result as it settles, for the views of `ralph wave run`; not part of the NDJSON of a loop. */
export interface ItemSettled {
  readonly index: number
  readonly payload: Blob
  readonly result: Blob | null
  readonly done: WaveWorkerDone
}

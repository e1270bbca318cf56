import type {
  IterationEnd,
  LoopTerminated,
  RunEvent,
  WaveCompleted,
  WaveStarted,
  WaveWorkerDone,
} from '../../../core/run-event.ts'

/** Run events for tests of the views: sensible ones, in which a test says only what it is about. */
export const loopStarted: RunEvent = {
  type: 'loop_started',
  prompt: 'X',
  max_iterations: 100,
  backend: 'custom',
  workspace_root: '/w',
  started_at: 0,
  run_id: 'primary-1',
  continued: false,
}

export function iterationStart(more: {
  iteration?: number
  hat?: string
  hats?: readonly string[]
}): RunEvent {
  const { iteration = 1, hat = 'disp', hats = [hat] } = more
  return {
    type: 'iteration_start',
    iteration,
    max_iterations: 100,
    hat,
    hat_display: 'Dispatcher',
    backend: 'custom',
    started_at: 0,
    hats,
  }
}

export function iterationEnd(more: Partial<IterationEnd> = {}): RunEvent {
  return {
    type: 'iteration_end',
    iteration: 1,
    duration_ms: 12_000,
    cost_usd: null,
    input_tokens: null,
    output_tokens: null,
    cache_read_tokens: null,
    cache_write_tokens: null,
    context_window: 0,
    context_tokens: null,
    loop_complete_triggered: false,
    success: true,
    reason: null,
    cost_source: null,
    ...more,
  }
}

export function waveStarted(more: Partial<WaveStarted> = {}): WaveStarted {
  return {
    type: 'wave_started',
    hat_name: 'Reviewer',
    worker_count: 3,
    timeout_secs: 600,
    wave_id: 'w-1',
    hats: ['work'],
    topics: ['item.go'],
    deadline_secs: 60,
    inferred: false,
    concurrency: 3,
    ...more,
  }
}

export function workerStarted(index: number): RunEvent {
  return {
    type: 'wave_worker_started',
    wave_id: 'w-1',
    index,
    total: 3,
    hat: 'work',
    backend: 'custom',
    attempt: 1,
  }
}

export function workerDone(more: Partial<WaveWorkerDone> = {}): WaveWorkerDone {
  return {
    type: 'wave_worker_done',
    index: 0,
    total: 3,
    duration_ms: 12_000,
    success: true,
    payload_preview: 'storage module',
    wave_id: 'w-1',
    hat: 'work',
    status: 'ok',
    reason: null,
    attempts: 1,
    cost_usd: null,
    cost_source: null,
    input_tokens: null,
    output_tokens: null,
    log: null,
    ...more,
  }
}

export function waveCompleted(more: Partial<WaveCompleted> = {}): WaveCompleted {
  return {
    type: 'wave_completed',
    succeeded: 2,
    failed: 1,
    duration_ms: 14_000,
    wave_id: 'w-1',
    timed_out: false,
    statuses: { ok: 2, failed: 1 },
    never_started: 0,
    ...more,
  }
}

export function loopTerminated(more: Partial<LoopTerminated> = {}): LoopTerminated {
  return {
    type: 'loop_terminated',
    reason: 'completed',
    total_iterations: 2,
    duration_ms: 72_000,
    total_cost_usd: 0.345,
    terminated_at: 0,
    exit_code: 0,
    result: 'done',
    cost_source: 'reported',
    agents_without_cost: 0,
    open_waves: [],
    ...more,
  }
}

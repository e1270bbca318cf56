import { closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { unreachable } from '../../core/result.ts'
import type { Report, RunEvent, WaveStarted } from '../../core/run-event.ts'

export interface DiagnosticsOptions {
  /** `.ralph/diagnostics` of the workspace, absolute. */
  readonly root: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** Told once, when the files cannot be written; nothing is written afterwards. */
  readonly onFault: (message: string) => void
}

export interface Diagnostics {
  readonly report: Report
  /** Adds a prompt in full to `prompt-log.md`. */
  logPrompt(title: string, text: string): void
}

type DiagnosticsFile =
  | 'orchestration.jsonl'
  | 'agent-output.jsonl'
  | 'performance.jsonl'
  | 'errors.jsonl'
  | 'prompt-log.md'

/** A row before its time and place are known. */
type Row = { readonly type: string } & Readonly<Record<string, unknown>>

interface OpenWave {
  readonly start: WaveStarted
  readonly openedAt: number
  /** When each of its workers settled. */
  readonly settledAt: number[]
}

/**
 * What `RALPH_DIAGNOSTICS=1` keeps of a run, in `<root>/<run-id>/` (contract/loop §12.1, contract/waves §14).
 * Everything is appended as it is told, so that a crash loses nothing and a deleted folder comes back.
 */
export function createDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const waves = new Map<string, OpenWave>()
  const early: { readonly title: string; readonly text: string }[] = []
  let folder: string | null = null
  let broken = false
  let iteration = 0
  let hat = 'loop'

  const append = (file: DiagnosticsFile, text: string): void => {
    if (folder === null || broken) return
    try {
      appendText(folder, file, text)
    } catch (error) {
      broken = true
      options.onFault(`diagnostics cannot be written: ${messageOf(error)}`)
    }
  }
  const write = (file: DiagnosticsFile, row: Row): void => {
    const { type, ...fields } = row
    const head = { type, timestamp: new Date(options.now()).toISOString(), iteration, hat }
    append(file, `${JSON.stringify({ ...head, ...fields })}\n`)
  }
  const orchestration = (row: Row): void => write('orchestration.jsonl', row)
  const logPrompt = (title: string, text: string): void => {
    if (folder === null) early.push({ title, text })
    else append('prompt-log.md', `# ${title}\n\n${text}\n\n`)
  }

  const report: Report = (event) => {
    switch (event.type) {
      case 'loop_started':
        folder = join(options.root, event.run_id)
        for (const { title, text } of early.splice(0)) logPrompt(title, text)
        return
      case 'iteration_start':
        iteration = event.iteration
        hat = event.hat
        orchestration({ type: 'IterationStarted', backend: event.backend })
        return orchestration({ type: 'HatSelected', hats: event.hats, display: event.hat_display })
      case 'iteration_end': {
        const { type: _, ...figures } = event
        write('performance.jsonl', { ...figures, type: 'IterationEnded' })
        if (!event.success) write('errors.jsonl', { type: 'IterationFailed', message: event.reason })
        return
      }
      case 'orchestration_event': {
        const { type: _, ...published } = event
        return orchestration({ ...published, type: 'EventPublished' })
      }
      case 'text_delta':
      case 'tool_call_start':
      case 'tool_call_end':
      case 'wave_worker_text_delta':
        return write('agent-output.jsonl', event)
      case 'hat_changed':
      case 'wave_worker_event':
        return
      case 'error':
        return write('errors.jsonl', event)
      case 'wave_started':
        waves.set(event.wave_id, { start: event, openedAt: options.now(), settledAt: [] })
        return orchestration({
          type: 'WaveStarted',
          wave_id: event.wave_id,
          expected_total: event.worker_count,
          worker_hat: event.hats.join(','),
          concurrency: event.concurrency,
        })
      case 'wave_worker_started':
        return orchestration({
          type: 'WaveInstanceStarted',
          hat: event.hat,
          wave_id: event.wave_id,
          index: event.index,
          backend: event.backend,
        })
      case 'wave_worker_done': {
        waves.get(event.wave_id)?.settledAt.push(options.now())
        orchestration(workerRow(event))
        const { type: _, payload_preview: __, log: ___, ...figures } = event
        return write('performance.jsonl', { ...figures, type: 'WaveWorkerEnded' })
      }
      case 'wave_completed': {
        const wave = waves.get(event.wave_id)
        waves.delete(event.wave_id)
        if (event.timed_out && wave) {
          const row = timeoutRow(wave)
          if (row) orchestration(row)
        }
        return orchestration({
          type: 'WaveCompleted',
          wave_id: event.wave_id,
          total_results: event.succeeded,
          total_failures: event.failed,
          timed_out: event.timed_out,
          duration_ms: event.duration_ms,
        })
      }
      case 'loop_terminated': {
        const { type: _, result: __, ...end } = event
        return orchestration({ ...end, type: 'LoopTerminated' })
      }
      default:
        return unreachable(event)
    }
  }
  return { report, logPrompt }
}

function workerRow(done: Extract<RunEvent, { readonly type: 'wave_worker_done' }>): Row {
  const { wave_id, index, duration_ms, hat } = done
  const reused = done.reused === undefined ? {} : { reused: done.reused }
  if (done.success) {
    return {
      type: 'WaveInstanceCompleted',
      hat,
      wave_id,
      index,
      duration_ms,
      cost_usd: done.cost_usd,
      ...reused,
    }
  }
  const error = done.reason === null ? done.status : `${done.status}: ${done.reason}`
  return { type: 'WaveInstanceFailed', hat, wave_id, index, error, duration_ms, ...reused }
}

/** The row of a deadline that fired; null if only workers' own times ran out. */
function timeoutRow(wave: OpenWave): Row | null {
  const { wave_id, deadline_secs, worker_count } = wave.start
  if (deadline_secs === null) return null
  const deadline = wave.openedAt + deadline_secs * 1000
  const unfinished = wave.settledAt.filter((at) => at >= deadline).length
  if (unfinished === 0) return null
  return {
    type: 'WaveTimedOut',
    wave_id,
    timeout_secs: deadline_secs,
    finished: worker_count - unfinished,
    unfinished,
  }
}

function appendText(folder: string, file: DiagnosticsFile, text: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const open = (): number => openSync(join(folder, file), flags, 0o600)
  let fd: number
  try {
    fd = open()
  } catch {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    fd = open()
  }
  try {
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
}

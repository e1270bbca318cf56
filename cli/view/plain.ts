import { unreachable } from '../../core/result.ts'
import type { IterationEnd, Report, RunEvent, WaveWorkerDone } from '../../core/run-event.ts'
import { renderAdvice } from './advice.ts'
import { renderClosing } from './closing.ts'
import type { Palette } from './colour.ts'
import { formatDuration, formatTime } from './duration.ts'
import { rule } from './rule.ts'
import { oneLine, safeText } from './safe-text.ts'
import { formatCost, formatTokens } from './spending.ts'
import { renderToolCall } from './tool-call.ts'
import {
  renderWaveEnd,
  renderWaveStart,
  renderWorkerAgain,
  renderWorkerDone,
  renderWorkerNudged,
} from './wave-lines.ts'
import { renderWaveSpending } from './wave-spending.ts'

export interface PlainOptions {
  readonly write: (text: string) => void
  readonly paint: Palette
  /** Width of the terminal. */
  readonly columns: number
  /** Only warnings, errors and the closing line. */
  readonly quiet: boolean
  /** The first lines of a run: which program with which access, and the budgets. */
  readonly intro: readonly string[]
  /** Unix milliseconds. */
  readonly now: () => number
}

type ErrorEvent = Extract<RunEvent, { readonly type: 'error' }>

/** The account of a run on stderr, for people: each thing is told when it happens, foreign text without control sequences. */
export function plainView(options: PlainOptions): Report {
  const { write, paint, columns } = options
  const totals = new Map<string, number>()
  const workers = new Map<string, WaveWorkerDone[]>()
  const tools = new Map<string, string>()
  let midLine = false

  const line = (text: string): void => {
    write(`${midLine ? '\n' : ''}${text}\n`)
    midLine = false
  }
  const calm = (text: string): void => {
    if (!options.quiet) line(text)
  }
  const streamed = (text: string): void => {
    if (options.quiet || text === '') return
    write(text)
    midLine = !text.endsWith('\n')
  }

  return (event) => {
    switch (event.type) {
      case 'loop_started':
        for (const text of options.intro) calm(text)
        return
      case 'iteration_start': {
        const [, ...others] = event.hats
        const hats = [oneLine(event.hat_display, 60), ...others.map((id) => oneLine(id, 64))].join(' + ')
        const place = `Iteration ${event.iteration}/${event.max_iterations}`
        calm('')
        calm(paint.bold(rule(`${place} | ${hats} | ${event.backend}`, columns)))
        return
      }
      case 'iteration_end':
        tools.clear()
        if (event.success) calm(paint.dim(renderIterationEnd(event)))
        else line(paint.red(renderFailure(event)))
        return
      case 'text_delta':
        return streamed(safeText(event.delta))
      case 'tool_call_start':
        tools.set(event.tool_call_id, event.tool_name)
        return calm(paint.dim(renderToolCall(event.tool_name, event.input, columns)))
      case 'tool_call_end': {
        const name = tools.get(event.tool_call_id) ?? 'tool'
        tools.delete(event.tool_call_id)
        if (event.is_error) calm(`    ${paint.red('✗')} ${oneLine(`${name}: ${event.output}`, columns - 8)}`)
        return
      }
      case 'hat_changed':
        return
      case 'orchestration_event': {
        if (event.wave_id !== undefined) return
        const receiver = event.target === undefined ? '' : ` → ${oneLine(event.target, 64)}`
        const preview = oneLine(event.payload, 60)
        return calm(
          `  ${paint.cyan('•')} ${oneLine(event.topic, 200)}${receiver}${preview === '' ? '' : paint.dim(` — ${preview}`)}`,
        )
      }
      case 'error':
        return line(renderTrouble(event, totals, options))
      case 'wave_started':
        totals.set(event.wave_id, event.worker_count)
        workers.set(event.wave_id, [])
        return calm(paint.bold(renderWaveStart(event, columns)))
      case 'wave_worker_started':
      case 'wave_worker_text_delta':
      case 'wave_worker_event':
        return
      case 'wave_worker_done': {
        workers.get(event.wave_id)?.push(event)
        const text = renderWorkerDone(event, paint)
        return event.success ? calm(text) : line(text)
      }
      case 'wave_completed': {
        totals.delete(event.wave_id)
        const [summary = '', ...remarks] = renderWaveEnd(event, columns)
        calm(paint.bold(summary))
        for (const spent of renderWaveSpending(workers.get(event.wave_id) ?? [])) calm(paint.dim(spent))
        workers.delete(event.wave_id)
        for (const remark of remarks) line(paint.yellow(remark))
        return
      }
      case 'loop_terminated': {
        const tint = event.exit_code === 0 ? paint.green : paint.yellow
        calm('')
        if (event.message !== undefined) line(paint.red(`error: ${safeText(event.message)}`))
        if (event.trouble !== undefined) line(renderAdvice(event.trouble, '`ralph run --continue` goes on'))
        return line(tint(renderClosing(event)))
      }
      default:
        return unreachable(event)
    }
  }
}

/** `  done in 12s | $0.12 | 1.2k tokens in, 300 out` */
function renderIterationEnd(end: IterationEnd): string {
  const cost = end.cost_usd === null ? [] : [formatCost(end.cost_usd, end.cost_source)]
  const tokens =
    end.input_tokens === null || end.output_tokens === null
      ? []
      : [`${formatTokens(end.input_tokens)} tokens in, ${formatTokens(end.output_tokens)} out`]
  return `  ${[`done in ${formatDuration(end.duration_ms)}`, ...cost, ...tokens].join(' | ')}`
}

/** The reason of a failed iteration; its further lines (the last of stderr) stand indented below. */
function renderFailure(end: IterationEnd): string {
  const [first = 'no reason known', ...rest] = safeText(end.reason ?? 'no reason known').split('\n')
  const head = `error: iteration ${end.iteration} failed (${formatDuration(end.duration_ms)}): ${first}`
  return [head, ...rest.map((text) => `  ${text}`)].join('\n')
}

function renderTrouble(
  error: ErrorEvent,
  totals: ReadonlyMap<string, number>,
  options: Pick<PlainOptions, 'paint' | 'now'>,
): string {
  const { paint, now } = options
  const inMs = error.retry_at === undefined ? undefined : Math.max(0, error.retry_at - now())
  const { wave_id, wave_index, attempt, max_attempts } = error
  if (wave_id !== undefined && wave_index !== undefined) {
    const worker = {
      index: wave_index,
      total: Math.max(totals.get(wave_id) ?? 0, wave_index + 1),
      preview: error.payload_preview ?? error.message,
    }
    if (error.code === 'nudge') return renderWorkerNudged(worker, paint)
    if (inMs !== undefined && attempt !== undefined && max_attempts !== undefined) {
      const why = { inMs, class: error.class ?? error.code, attempt, attempts: max_attempts }
      return renderWorkerAgain({ ...worker, ...why }, paint)
    }
  }
  const message = safeText(error.message).trimEnd().replaceAll('\n', '\n  ')
  const next = error.retry_at === undefined ? '' : `; next try at ${formatTime(error.retry_at)}`
  return error.recoverable
    ? paint.yellow(`warning: ${message}${next}`)
    : paint.red(`error: ${message}${next}`)
}

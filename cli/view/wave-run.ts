import type { Blob, ReadBlob } from '../../core/blob.ts'
import type { CostSource, ItemSettled, Report, RunEvent } from '../../core/run-event.ts'
import { renderAdvice } from './advice.ts'
import { formatDuration } from './duration.ts'
import { createInOrder } from './in-order.ts'
import { jsonLine } from './json.ts'
import { safeText } from './safe-text.ts'
import { formatCost } from './spending.ts'

export interface WaveRunOptions {
  readonly format: 'text' | 'jsonl'
  /** stdout: results only. */
  readonly write: (text: string | Uint8Array) => void
  readonly stdoutIsTerminal: boolean
  readonly readBlob: ReadBlob
  /** The same piece by piece, as UTF-8. */
  readonly readPieces: (blob: Blob) => Iterable<string | Uint8Array>
  /** The account on stderr, a quiet one; of it only what went wrong is told. */
  readonly plain: Report
  /** stderr: the closing line, and what ended the wave early. */
  readonly close: (text: string) => void
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface WaveRunView {
  readonly report: Report
  /** An item has its outcome. */
  settled(item: ItemSettled): void
  /** Nothing more comes. */
  finish(): void
}

/** The views of `ralph wave run`: results in input order on stdout, failures and the closing line on stderr. */
export function waveRunView(options: WaveRunOptions): WaveRunView {
  const started = options.now()
  const tally = {
    succeeded: 0,
    failed: 0,
    reused: 0,
    cost: null as number | null,
    source: null as CostSource,
    silent: 0,
  }
  let wave = ''
  let total = 0
  const rows = createInOrder<ItemSettled>((item) => {
    if (options.format === 'jsonl') options.write(renderRow(item, options.readBlob))
    else if (item.result !== null) writeResult(item.result, options)
  })
  return {
    report(event) {
      if (event.type === 'wave_started') {
        wave = event.wave_id
        total = event.worker_count
        options.plain(event)
      }
      if (isWorthTelling(event)) options.plain(event)
      if (event.type !== 'loop_terminated') return
      tally.silent = event.agents_without_cost
      if (event.message !== undefined) options.close(`error: ${safeText(event.message)}`)
      if (event.trouble !== undefined)
        options.close(renderAdvice(event.trouble, 'the same command with `--resume` goes on'))
    },
    settled(item) {
      const { success, status, cost_usd, cost_source, reused } = item.done
      if (success) tally.succeeded++
      else if (status !== 'cancelled') tally.failed++
      // What an earlier run has paid is no cost of this one.
      if (reused !== undefined) tally.reused++
      else {
        if (cost_usd !== null) tally.cost = (tally.cost ?? 0) + cost_usd
        if (tally.source !== 'derived') tally.source = cost_source ?? tally.source
      }
      rows.put(item.index, item)
    },
    finish() {
      rows.finish()
      const left = total - tally.succeeded - tally.failed
      const counts = [
        `${tally.succeeded} succeeded`,
        `${tally.failed} failed`,
        ...(tally.reused > 0 ? [`${tally.reused} reused`] : []),
        ...(left > 0 ? [`${left} not done`] : []),
      ]
      const ran = tally.succeeded + tally.failed + left > tally.reused
      const cost = `cost ${ran ? formatCost(tally.cost, tally.source, tally.silent) : formatCost(0, null)}`
      const rest = tally.failed + left === 0 ? '' : ` \`ralph wave redrive ${wave}\` runs the rest`
      const took = formatDuration(options.now() - started)
      if (wave !== '') options.close(`── Wave ${wave}: ${counts.join(', ')} (${took}) | ${cost} ──${rest}`)
    },
  }
}

/** Warnings, errors, retries and failed workers. Items that were never done are only counted. */
function isWorthTelling(event: RunEvent): boolean {
  if (event.type === 'wave_worker_done') return !event.success && event.status !== 'cancelled'
  return event.type === 'error'
}

/** A failed item has no line: a program that reads the results sees only results. A large one is never in memory as a whole. */
function writeResult(result: Blob, { write, stdoutIsTerminal, readBlob, readPieces }: WaveRunOptions): void {
  if (stdoutIsTerminal || 'inline' in result) {
    const text = readBlob(result)
    write(`${stdoutIsTerminal ? safeText(text) : text}\n`)
    return
  }
  for (const piece of readPieces(result)) write(piece)
  write('\n')
}

function renderRow({ index, payload, result, done }: ItemSettled, readBlob: ReadBlob): string {
  const row = {
    index,
    payload: readBlob(payload),
    status: done.status,
    result: result === null ? null : readBlob(result),
    duration_ms: done.duration_ms,
    cost_usd: done.cost_usd,
    attempts: done.attempts,
    cost_source: done.cost_source,
    ...(done.reused === undefined ? {} : { reused: done.reused }),
  }
  return `${jsonLine(row)}\n`
}

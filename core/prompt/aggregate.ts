import { blobBytes, type ReadBlob } from '../blob.ts'
import type { WorkspaceChange } from '../run-event.ts'
import type { Topic } from '../topic.ts'
import { completionReason, neverStarted, received } from '../wave/gate.ts'
import type { Outcome, Wave, Work } from '../wave/wave.ts'
import type { Material } from './brief.ts'
import { ends, fairShare } from './shares.ts'
import { excerpt, fence, labelled, oneLine, paragraphs, seconds } from './text.ts'

/** What all result payloads of one prompt may take. */
export interface Share {
  /** Bytes of one payload; Infinity if all are shown whole. */
  readonly bytes: number
  /** Payloads in all, and those that are shown cut. */
  readonly results: number
  readonly cut: number
}

/** The view of a finished wave (contract/waves §10): header, results and failures, each in index order. */
export function renderWave(wave: Wave, share: Share, material: Material, read: ReadBlob): string {
  const results: string[] = []
  const failures: string[] = []
  for (const work of wave.works) {
    const { outcome } = work
    if (outcome === null) continue
    if (outcome.class !== 'result') failures.push(renderFailure(work, outcome, read))
    else
      results.push(
        readyResult(work, outcome, share) ??
          renderResult({ wave, work, outcome, bytes: share.bytes }, material, read),
      )
  }
  return paragraphs(
    renderHeader(wave),
    wave.change ? renderChange(wave.change) : '',
    ...results,
    failures.length > 0
      ? 'These items gave no result. Say in your own result what is missing because of them.'
      : '',
    ...failures,
  )
}

/**
 * Renders a short result once its item has settled: when the wave is done, the aggregator waits for its prompt. It is what
 * `renderWave` would make of it then.
 */
export function prepareResult(wave: Wave, work: Work, read: ReadBlob): void {
  const { outcome } = work
  if (outcome?.class !== 'result') return
  const bytes = Math.max(0, ...outcome.events.map((event) => blobBytes(event.payload)))
  if (bytes > SHORT) return
  // All of it is shown: no path is needed.
  const whole = { wave, work, outcome, bytes: SHORT }
  prepared.set(work, { outcome, bytes, text: renderResult(whole, { resultPath: () => '' }, read) })
}

const prepared = new WeakMap<
  Work,
  { readonly outcome: Outcome; readonly bytes: number; readonly text: string }
>()

/** Null if there is none, or if it is to be shown cut. */
function readyResult(work: Work, outcome: Outcome, share: Share): string | null {
  const ready = prepared.get(work)
  return ready?.outcome === outcome && ready.bytes <= share.bytes ? ready.text : null
}

/** Bytes of a payload. Of many longer ones a prompt shows but a part. */
const SHORT = 1024

/** Shares `budgetBytes` among all result payloads of `waves`. */
export function shareBudget(waves: readonly Wave[], budgetBytes: number): Share {
  const sizes = waves.flatMap((wave) =>
    wave.works
      .filter((work) => work.outcome?.class === 'result')
      .flatMap((work) => work.outcome?.events ?? [])
      .map((event) => blobBytes(event.payload)),
  )
  const bytes = fairShare(sizes, budgetBytes)
  return { bytes, results: sizes.length, cut: sizes.filter((size) => size > bytes).length }
}

/** `[0] item.done from work — ok, 12.3 s` */
export function resultHeading(result: {
  readonly index: number
  readonly topic: Topic
  readonly hat: string
  readonly status: string
  readonly durationMs: number
}): string {
  return `[${result.index}] ${result.topic} from ${result.hat} — ${result.status}, ${seconds(result.durationMs)}`
}

/** `[1] FAILED in work — timeout, 600.2 s` */
export function failureHeading(failure: {
  readonly index: number
  readonly hat: string
  readonly status: string
  readonly durationMs: number
}): string {
  return `[${failure.index}] FAILED in ${failure.hat} — ${failure.status}, ${seconds(failure.durationMs)}`
}

function renderHeader(wave: Wave): string {
  const unstarted = neverStarted(wave)
  const parts = [
    `received ${received(wave)}/${wave.total}`,
    ...(unstarted > 0 ? [`${unstarted} never started`] : []),
    `completed: ${completionReason(wave)}`,
  ]
  return `### Wave ${wave.id}: ${parts.join(', ')}`
}

function renderChange(change: WorkspaceChange): string {
  const named = change.paths.map(oneLine)
  const more = change.files > named.length ? `, and ${change.files - named.length} more` : ''
  const parts = [
    ...(change.head ? ['HEAD moved'] : []),
    ...(change.stash ? ['the stash list changed'] : []),
    ...(change.files > 0 ? [`${change.files} files changed: ${named.join(', ')}${more}`] : []),
  ]
  return parts.length === 0 ? '' : `The Git workspace changed while the wave ran: ${parts.join('; ')}.`
}

function headingOf(work: Work, outcome: Outcome, topic: Topic): string {
  const { status, durationMs } = outcome
  return resultHeading({ index: work.index, topic, hat: work.hat, status, durationMs })
}

/** All events of a result, each cut to `bytes`. */
function renderResult(
  of: { readonly wave: Wave; readonly work: Work; readonly outcome: Outcome; readonly bytes: number },
  { resultPath }: Pick<Material, 'resultPath'>,
  read: ReadBlob,
): string {
  const { wave, work, outcome } = of
  const { events } = outcome
  return paragraphs(
    ...events.map((event, i) =>
      paragraphs(
        `#### ${headingOf(work, outcome, event.topic)}${events.length > 1 ? ` (${i + 1} of ${events.length})` : ''}`,
        i === 0 ? renderDetails(outcome) : '',
        renderPayload(read(event.payload), of.bytes, () => resultPath(wave.id, work.index, i + 1)),
      ),
    ),
  )
}

function renderFailure(work: Work, outcome: Outcome, read: ReadBlob): string {
  const { status, durationMs } = outcome
  return paragraphs(
    `#### ${failureHeading({ index: work.index, hat: work.hat || 'no hat', status, durationMs })}`,
    renderDetails(outcome),
    labelled('Item', excerpt(read(work.payload), 200)),
  )
}

function renderDetails(outcome: Outcome): string {
  return [
    ...(outcome.reason === null ? [] : [labelled('Reason', outcome.reason)]),
    ...(outcome.timeoutSeconds === undefined ? [] : [`Time limit: ${outcome.timeoutSeconds} s`]),
    ...outcome.remarks.map((remark) => `Remark: ${oneLine(remark)}`),
  ].join('\n')
}

/** The cut stands between two fences, so that no payload can pretend to be one. */
function renderPayload(payload: string, bytes: number, path: () => string): string {
  const size = Buffer.byteLength(payload)
  if (size <= bytes) return fence(payload)
  const { head, tail, leftOut } = ends(payload, bytes)
  return paragraphs(
    head === '' ? '' : fence(head),
    `[… ${leftOut} of ${size} bytes are left out here. The whole text: ${path()} …]`,
    tail === '' ? '' : fence(tail),
  )
}

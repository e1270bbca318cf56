import type { Blob, ReadBlob } from '../blob.ts'
import { type ControlTopics, isControl } from '../control.ts'
import type { EventRecord } from '../event.ts'
import { formatRecord } from '../events-file/record.ts'
import type { HatId } from '../hat.ts'
import { isConcrete, type Topic } from '../topic.ts'
import type { Topology } from '../topology.ts'
import { nextStage } from './chain.ts'
import { errorText } from './outcome.ts'
import type { Outcome, Wave, Work } from './wave.ts'

/** Topic of the line that stands for a failed worker. */
export const WORKER_FAILED = 'wave.worker.failed'

export interface MergeInput {
  readonly wave: Wave
  readonly topology: Topology
  readonly control: ControlTopics
  readonly read: ReadBlob
  /** Time of the lines that are the loop's own, and of events without one. */
  readonly now: string
}

/**
 * The lines that one wave adds to the main events file, in index order whatever finished first (contract/waves §9):
 * results first, then what stands for each failure; in a chain the aggregator hears of failures only with its last wave.
 */
export function mergeLines(input: MergeInput): readonly string[] {
  const lines: string[] = []
  const failed: { readonly work: Work; readonly outcome: Outcome }[] = []
  for (const work of input.wave.works) {
    const { outcome } = work
    if (outcome?.class === 'result') lines.push(...resultLines(input, work, outcome))
    else if (outcome?.class === 'failure') failed.push({ work, outcome })
  }
  if (failed.length === 0) return lines
  const isLast = nextStage(input.wave, input.topology).items.length === 0
  for (const { work, outcome } of failed) lines.push(...failureLines(input, work, outcome, isLast))
  return lines
}

/**
 * Makes the lines of a result ready once its item has settled: at the merge somebody waits. They are what `mergeLines` would
 * make of it then. Long ones are left out, so that they are not in memory twice.
 */
export function prepareLines(input: Pick<MergeInput, 'wave' | 'read' | 'now'>, work: Work): void {
  const { outcome } = work
  if (outcome?.class !== 'result' || !outcome.events.every((event) => isShort(event.payload))) return
  prepared.set(work, { outcome, lines: formatResult(input, work, outcome) })
}

const prepared = new WeakMap<Work, { readonly outcome: Outcome; readonly lines: readonly string[] }>()

function isShort(payload: Blob): boolean {
  return 'inline' in payload && payload.inline.length <= SHORT
}

/** UTF-16 units. */
const SHORT = 4096

/** The lines of a merge that a merge cut by a crash has not written: by index, topic and payload. */
export function missingLines(
  lines: readonly string[],
  wave: string,
  written: readonly EventRecord[],
): readonly string[] {
  const there = new Map<string, number>()
  for (const event of written) {
    if (event.wave?.id !== wave || event.waveStatus === undefined) continue
    const key = JSON.stringify([event.wave.index, event.topic, event.payload])
    there.set(key, (there.get(key) ?? 0) + 1)
  }
  return lines.filter((line) => {
    const { wave_index, topic, payload } = JSON.parse(line) as Record<string, unknown>
    const key = JSON.stringify([wave_index, topic, payload])
    const left = there.get(key) ?? 0
    there.set(key, left - 1)
    return left <= 0
  })
}

function resultLines(input: MergeInput, work: Work, outcome: Outcome): readonly string[] {
  const ready = prepared.get(work)
  return ready?.outcome === outcome ? ready.lines : formatResult(input, work, outcome)
}

function formatResult(
  input: Pick<MergeInput, 'wave' | 'read' | 'now'>,
  work: Work,
  outcome: Outcome,
): readonly string[] {
  return outcome.events.map((event) =>
    formatRecord({
      topic: event.topic,
      payload: input.read(event.payload),
      ts: event.ts ?? input.now,
      ...(event.agent === undefined ? {} : { agent: event.agent }),
      wave: { id: input.wave.id, index: work.index },
      outcome: { status: outcome.status, durationMs: outcome.durationMs },
    }),
  )
}

function failureLines(input: MergeInput, work: Work, outcome: Outcome, isLast: boolean): readonly string[] {
  const error = errorText(outcome)
  const line = (topic: Topic, payload: string): string =>
    formatRecord({
      topic,
      payload,
      ts: input.now,
      wave: { id: input.wave.id, index: work.index },
      outcome: {
        status: outcome.status,
        durationMs: outcome.durationMs,
        error,
        ...(outcome.timeoutSeconds === undefined ? {} : { timeoutSeconds: outcome.timeoutSeconds }),
      },
    })
  const topic = isLast ? topicToAggregator(input, work.hat) : null
  const isNew = !input.wave.carried.has(work.index)
  return [
    ...(isNew ? [line(WORKER_FAILED, `Worker ${work.index} failed: ${error}`)] : []),
    ...(topic === null ? [] : [line(topic, `## Worker ${work.index} (FAILED)\n\nError: ${error}`)]),
  ]
}

/** The first concrete topic of the hat, else of the parallel hats that it feeds, that leads to an aggregator of the wave. */
function topicToAggregator({ wave, topology, control }: MergeInput, hat: HatId): Topic | null {
  const seen = new Set<HatId>()
  const search = (ids: readonly HatId[]): Topic | null => {
    const next: HatId[] = []
    for (const id of ids) {
      if (seen.has(id)) continue
      seen.add(id)
      const publishes = (wave.hats[id] ?? topology.hat(id))?.publishes ?? []
      const found = publishes.find(
        (topic) =>
          isConcrete(topic) &&
          !isControl(control, topic) &&
          wave.aggregators.includes(topology.receiver(topic)?.id ?? ''),
      )
      if (found !== undefined) return found
      next.push(
        ...topology
          .downstream(id)
          .filter((one) => one.concurrency > 1)
          .map((one) => one.id),
      )
    }
    return next.length === 0 ? null : search(next)
  }
  return search([hat])
}

import { type EventRecord, EXCERPT, type WaveTag } from '../event.ts'
import { topicFault } from '../topic.ts'

/** What one line of an events file is (contract/waves §3, §4). */
export type Line =
  | { readonly kind: 'event'; readonly event: EventRecord }
  /** A row of the loop's own. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'bad'; readonly reason: string; readonly excerpt: string }

/** Reads one line, without its line end. Never throws. */
export function parseRecord(text: string): Line {
  const row = parseObject(text)
  if (typeof row === 'string') return bad(row, text)
  if (row.hat === 'loop' || row.topic === 'iteration.summary' || row.topic === 'loop.terminate') {
    return { kind: 'skip' }
  }
  const { topic } = row
  if (typeof topic !== 'string') return bad(topic === undefined ? 'no topic' : 'the topic is no string', text)
  const fault = topicFault(topic) ?? waveFault(row)
  if (fault !== null) return bad(fault, text)
  const wave = waveTag(row)
  const event: EventRecord = {
    topic,
    payload: payloadText(row.payload),
    ...(typeof row.ts === 'string' ? { ts: row.ts } : {}),
    ...(typeof row.agent === 'string' && row.agent !== '' ? { agent: row.agent } : {}),
    ...(wave === null ? {} : { wave }),
    ...(typeof row.wave_status === 'string' ? { waveStatus: row.wave_status } : {}),
  }
  return { kind: 'event', event }
}

/** What can stand in a line that we write. */
export interface RecordFields {
  readonly topic: string
  /** A string, null, or valid JSON text that is stored as the value it denotes. */
  readonly payload: string | null | { readonly json: string }
  readonly ts: string
  readonly agent?: string
  readonly wave?: WaveTag
  /** Only on merged lines. */
  readonly outcome?: {
    readonly status: string
    readonly durationMs: number
    readonly error?: string
    readonly timeoutSeconds?: number
  }
}

/** One line with its newline. */
export function formatRecord(fields: RecordFields): string {
  const { topic, payload, ts, agent, wave, outcome } = fields
  const value =
    payload === null || typeof payload === 'string' ? JSON.stringify(payload) : compact(payload.json)
  const rest = {
    ts,
    agent,
    wave_id: wave?.id,
    wave_index: wave?.index,
    wave_total: wave?.total,
    wave_status: outcome?.status,
    duration_ms: outcome?.durationMs,
    wave_error: outcome?.error,
    timeout_seconds: outcome?.timeoutSeconds,
  }
  return `{"topic":${JSON.stringify(topic)},"payload":${value},${JSON.stringify(rest).slice(1)}\n`
}

/**
 * Valid JSON text without the white space between its tokens; numbers keep all their digits.
 * A loop, since a regular expression gives up silently on strings of some megabytes.
 */
function compact(json: string): string {
  let kept = ''
  let start = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (inString && character === '\\') i += 1
    else if (character === '"') inString = !inString
    else if (
      !inString &&
      (character === ' ' || character === '\n' || character === '\r' || character === '\t')
    ) {
      kept += json.slice(start, i)
      start = i + 1
    }
  }
  return kept + json.slice(start)
}

/** True for an id that a wave may have. Ids become parts of file names. */
export function isWaveId(text: string): boolean {
  return /^(?!\.)[A-Za-z0-9._-]{1,128}$/.test(text)
}

/** A new wave id. `nanoseconds` since 1970; `sequence` tells apart the ids that one process makes. */
export function formatWaveId(nanoseconds: bigint, pid: number, sequence: number): string {
  return `w-${nanoseconds.toString(16)}-${pid}-${sequence}`
}

/** True for a `wave_index` or `wave_total`. */
export function isWaveNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32
}

/** An RFC 3339 time with `+00:00`. */
export function formatTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}

/** The line's object, or why it is none. */
function parseObject(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'no JSON object'
    return value as Readonly<Record<string, unknown>>
  } catch {
    return 'no valid JSON'
  }
}

/** A string stays as it is, nothing becomes empty, anything else its compact JSON text. */
function payloadText(payload: unknown): string {
  if (typeof payload === 'string') return payload
  return payload === null || payload === undefined ? '' : JSON.stringify(payload)
}

const WAVE_FIELDS = {
  wave_id: 'string',
  wave_index: 'number',
  wave_total: 'number',
  wave_status: 'string',
  wave_error: 'string',
} as const

/** Why a `wave_*` field is of a wrong type, or null. Null counts as absent. */
function waveFault(row: Readonly<Record<string, unknown>>): string | null {
  for (const [name, type] of Object.entries(WAVE_FIELDS)) {
    const value = row[name]
    if (value === undefined || value === null) continue
    if (type === 'string' && typeof value !== 'string') return `${name} is no string`
    if (type === 'number' && !isWaveNumber(value)) return `${name} is no integer from 0 to 4294967295`
  }
  return null
}

/** The line's tag; without an id there is none. */
function waveTag(row: Readonly<Record<string, unknown>>): WaveTag | null {
  if (typeof row.wave_id !== 'string') return null
  return {
    id: row.wave_id,
    ...(typeof row.wave_index === 'number' ? { index: row.wave_index } : {}),
    ...(typeof row.wave_total === 'number' ? { total: row.wave_total } : {}),
  }
}

function bad(reason: string, text: string): Line {
  return { kind: 'bad', reason, excerpt: [...text.slice(0, 200)].slice(0, EXCERPT).join('') }
}

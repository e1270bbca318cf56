import { RalphError } from '../core/errors.ts'

/** How items stand in a file or on stdin. */
export type ItemFormat = 'lines' | 'nul' | 'jsonl'

/** One payload as it was read. */
export interface ListedItem {
  readonly payload: string
  /** Only in `jsonl`. Not checked. */
  readonly topic?: string
  /** 1-based; of the item in `nul`. */
  readonly line: number
}

/** The format that the flags `-0` and `--jsonl` ask for. */
export function itemFormat(flags: { readonly nul: boolean; readonly jsonl: boolean }): ItemFormat {
  return flags.nul ? 'nul' : flags.jsonl ? 'jsonl' : 'lines'
}

/**
 * Cuts a text into items: one per line without blank ones; between NULs, where a final NUL adds no item; or one object
 * `{"topic"?, "payload"}` per line, whose payload becomes compact JSON text unless it is a string.
 * Throws a `RalphError` with the line's number for a line that is no such object.
 */
export function parseItems(text: string, format: ItemFormat): readonly ListedItem[] {
  if (format === 'nul') {
    const parts = text.split('\0')
    if (parts.at(-1) === '') parts.pop()
    return parts.map((payload, i) => ({ payload, line: i + 1 }))
  }
  const lines = text.split('\n').map((line, i) => ({ payload: line.replace(/\r$/, ''), line: i + 1 }))
  const filled = lines.filter(({ payload }) => payload.trim() !== '')
  return format === 'lines' ? filled : filled.map(({ payload, line }) => parseObject(payload, line))
}

/** What is wrong with one item of a file or of stdin. */
export function itemError(line: number, problem: string): RalphError {
  return new RalphError('bad_item', `line ${line}: ${problem}`)
}

function parseObject(text: string, line: number): ListedItem {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw itemError(line, 'no valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw itemError(line, 'no JSON object')
  const { topic, payload } = value as { topic?: unknown; payload?: unknown }
  if (payload === undefined) throw itemError(line, 'the object has no "payload"')
  if (topic !== undefined && typeof topic !== 'string') throw itemError(line, 'the topic is no string')
  return {
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    ...(topic === undefined ? {} : { topic }),
    line,
  }
}

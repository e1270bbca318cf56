/**
 * The most bytes that each text may take so that all together stay within `budget`: texts below it stay whole,
 * and what they do not need falls to the others. Infinity if everything fits. Bytes are UTF-8.
 */
export function fairShare(sizes: readonly number[], budget: number): number {
  if (sizes.reduce((sum, size) => sum + size, 0) <= budget) return Number.POSITIVE_INFINITY
  let left = budget
  const ascending = [...sizes].sort((a, b) => a - b)
  for (const [i, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - i))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

export interface Ends {
  readonly head: string
  readonly tail: string
  /** Bytes between them. */
  readonly leftOut: number
}

/** The two ends of `text`, together at most `bytes` UTF-8 bytes, cut between characters. */
export function ends(text: string, bytes: number): Ends {
  const whole = Buffer.from(text)
  const headEnd = boundaryBefore(whole, Math.ceil(bytes / 2))
  const tailStart = boundaryAfter(whole, whole.length - Math.floor(bytes / 2))
  return {
    head: whole.toString('utf8', 0, headEnd),
    tail: whole.toString('utf8', tailStart),
    leftOut: tailStart - headEnd,
  }
}

/** The last `bytes` UTF-8 bytes of `text` from the start of a line; of one endless line, from the start of a character. */
export function lastLines(text: string, bytes: number): { readonly text: string; readonly leftOut: number } {
  const whole = Buffer.from(text)
  if (whole.length <= bytes) return { text, leftOut: 0 }
  const from = whole.length - bytes
  const newline = whole.indexOf(0x0a, from - 1)
  const hasLine = newline !== -1 && newline + 1 < whole.length
  const start = hasLine ? newline + 1 : boundaryAfter(whole, from)
  return { text: whole.toString('utf8', start), leftOut: start }
}

function boundaryBefore(bytes: Buffer, at: number): number {
  while (at > 0 && isContinuation(bytes[at])) at--
  return at
}

function boundaryAfter(bytes: Buffer, at: number): number {
  while (at < bytes.length && isContinuation(bytes[at])) at++
  return at
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

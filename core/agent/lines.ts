/** Longer lines are cut, so that a program which never ends its line costs bounded memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Turns bytes, in whatever pieces they come, into lines without their newline (`\n` or `\r\n`). */
export interface LineSplitter {
  /** The lines that these bytes complete. */
  push(chunk: Uint8Array): string[]
  /** The last line, if it had no newline. */
  end(): string[]
}

/**
 * UTF-8; invalid bytes become U+FFFD. A character split over two pieces is put together, because bytes are
 * decoded only up to a newline. A line above `maxBytes` is given cut, with the number of bytes left out, which `onCut` is
 * told too.
 */
export function createLineSplitter(
  maxBytes: number = MAX_LINE_BYTES,
  onCut: (lostBytes: number) => void = () => {},
): LineSplitter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let pieces: Uint8Array[] = []
  let kept = 0
  let lost = 0

  function keep(bytes: Uint8Array): void {
    const room = Math.min(bytes.length, maxBytes - kept)
    lost += bytes.length - room
    if (room === 0) return
    pieces.push(new Uint8Array(bytes.subarray(0, room)))
    kept += room
  }

  function take(): string {
    const text = withoutReturn(decoder.decode(join(pieces, kept)))
    const line = lost === 0 ? text : `${text} [cut: ${lost} bytes]`
    if (lost > 0) onCut(lost)
    pieces = []
    kept = 0
    lost = 0
    return line
  }

  return {
    push(chunk) {
      const last = chunk.lastIndexOf(NEWLINE)
      if (last === -1) {
        keep(chunk)
        return []
      }
      const lines: string[] = []
      let from = 0
      if (kept > 0) {
        const first = chunk.indexOf(NEWLINE)
        keep(chunk.subarray(0, first))
        lines.push(take())
        from = first + 1
      }
      if (from <= last) {
        for (const line of decoder.decode(chunk.subarray(from, last)).split('\n')) {
          lines.push(withoutReturn(line))
        }
      }
      if (last + 1 < chunk.length) keep(chunk.subarray(last + 1))
      return lines
    },
    end: () => (kept === 0 ? [] : [take()]),
  }
}

const NEWLINE = 0x0a

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

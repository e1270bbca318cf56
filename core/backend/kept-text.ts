/** Characters of an output that are kept for a final message. */
export const MAX_KEPT = 32 * 1024 * 1024

/** The lines of an output, of which so much is kept that memory stays bounded. */
export interface KeptText {
  add(line: string): void
  /** All of it, trimmed; the middle of more than `max` characters is replaced by a note that says how much is missing. */
  text(): string
}

/** Keeps the first and the last half of `max` characters: what a program says of itself stands at an end. */
export function createKeptText(max: number = MAX_KEPT): KeptText {
  const half = Math.floor(max / 2)
  const first = createBlocks()
  let last = createBlocks()
  let inFirst = 0
  let inLast = 0
  let missing = 0

  function keep(text: string): void {
    last.add(text)
    inLast += text.length
    // Not at each line: then a long output of short lines would cost its square.
    if (inLast > half * 2) shorten()
  }

  function shorten(): void {
    const text = last.text()
    const tail = text.slice(-half)
    missing += text.length - tail.length
    last = createBlocks()
    last.add(tail)
    inLast = tail.length
  }

  return {
    add(line) {
      const text = `${line}\n`
      const room = half - inFirst
      if (room > 0) {
        const part = text.slice(0, room)
        first.add(part)
        inFirst += part.length
      }
      if (text.length > room) keep(text.slice(Math.max(0, room)))
    },
    text() {
      if (inLast > half) shorten()
      const note = missing === 0 ? '' : `\n[cut: ${missing} characters]\n`
      return `${first.text()}${note}${last.text()}`.trim()
    },
  }
}

const BLOCK = 64 * 1024

/** Texts in a row. Those that are complete are put together block by block: many short ones cost ten times their length. */
function createBlocks(): { add(text: string): void; text(): string } {
  const blocks: string[] = []
  let recent: string[] = []
  let length = 0
  return {
    add(text) {
      recent.push(text)
      length += text.length
      if (length < BLOCK) return
      blocks.push(recent.join(''))
      recent = []
      length = 0
    },
    text: () => [...blocks, ...recent].join(''),
  }
}

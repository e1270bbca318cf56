/** The last lines of a stream, for messages. */
export interface Tail {
  add(line: string): void
  /** At most 20 lines and 4096 characters; what is cut in front is shown by `…`. */
  text(): string
}

const LINES = 20
const CHARACTERS = 4096

/** The same of a whole text. */
export function tailOf(text: string): string {
  const tail = createTail()
  for (const line of text.trimEnd().split('\n').slice(-LINES)) tail.add(line)
  return tail.text()
}

export function createTail(): Tail {
  const lines: string[] = []
  return {
    add(line) {
      lines.push(line.length > CHARACTERS ? line.slice(0, CHARACTERS) : line)
      if (lines.length > LINES) lines.shift()
    },
    text() {
      const text = lines.join('\n').trimEnd()
      return text.length > CHARACTERS ? `…${text.slice(1 - CHARACTERS)}` : text
    },
  }
}

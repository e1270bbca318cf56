import { NO_SECRETS, type Secrets } from '../secrets.ts'

/** The last lines of a stream, for messages. */
export interface Tail {
  add(line: string): void
  /** At most 20 lines and 4096 characters; what is cut in front is shown by `…`. */
  text(): string
}

const LINES = 20
const CHARACTERS = 4096
/** What is kept of a line is longer, so that no secret is cut where it is looked for. */
const LINE_CHARACTERS = 4 * CHARACTERS

/** The same of a whole text. */
export function tailOf(text: string, secrets?: Secrets): string {
  const tail = createTail(secrets)
  for (const line of text.trimEnd().split('\n').slice(-LINES)) tail.add(line)
  return tail.text()
}

/** Without secrets: they are taken out before anything is cut, which would leave half of one. */
export function createTail(secrets: Secrets = NO_SECRETS): Tail {
  const lines: string[] = []
  return {
    add(line) {
      lines.push(line.length > LINE_CHARACTERS ? line.slice(0, LINE_CHARACTERS) : line)
      if (lines.length > LINES) lines.shift()
    },
    text() {
      const text = secrets
        .text(lines.join('\n'))
        .split('\n')
        .map((line) => line.slice(0, CHARACTERS))
        .join('\n')
        .trimEnd()
      return text.length > CHARACTERS ? `…${text.slice(1 - CHARACTERS)}` : text
    },
  }
}

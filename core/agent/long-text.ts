import type { Secrets } from '../secrets.ts'

/** A text that lies in a file, because it is long. It can be read until the note that brings it has been heard. */
export interface LongText {
  /** Its last line that is not blank, trimmed. */
  readonly lastLine: string
  /** False: it holds no `<event>` block. */
  readonly mayHoldEvents: boolean
  /** All of it, as UTF-8, cut anywhere. Each piece is valid until the next one is taken. Throws the system's error. */
  pieces(): Iterable<Uint8Array>
}

/** All of a text, in memory. */
export function wholeText(text: string | LongText): string {
  if (typeof text === 'string') return text
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  for (const piece of text.pieces()) parts.push(decoder.decode(piece, { stream: true }))
  return parts.join('')
}

/** The same text without secrets. */
export function redactedText(text: string | LongText, secrets: Secrets): string | LongText {
  if (typeof text === 'string') return secrets.text(text)
  return {
    lastLine: secrets.text(text.lastLine),
    mayHoldEvents: text.mayHoldEvents,
    *pieces() {
      const stream = secrets.stream()
      for (const piece of text.pieces()) yield stream.push(piece)
      yield stream.end()
    },
  }
}

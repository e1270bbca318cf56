import type { Report } from '../../core/run-event.ts'

/** `run --json`: every run event as one line of JSON. `write` gets the line with its newline. */
export function jsonView(write: (text: string) => void): Report {
  return (event) => write(`${jsonLine(event)}\n`)
}

/** JSON on one line, in which also those control and bidi characters are escaped that JSON itself lets pass. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    LOOSE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const LOOSE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

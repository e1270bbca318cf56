/**
 * The one door to a terminal: foreign text (agents' output, payloads, names, paths) without anything that a terminal
 * would obey. Escape sequences go as a whole; other control characters and bidi overrides go alone; line ends become `\n`.
 */
export function safeText(text: string): string {
  if (!SUSPECT.test(text)) return text
  return text
    .replace(SEQUENCE, '')
    .replace(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replace(UNSAFE, '')
}

/** Safe text on one line: white space collapsed, cut to at most `columns` terminal columns with `…` at the end. */
export function oneLine(text: string, columns: number): string {
  // Far more than fits, so that a payload of megabytes costs nothing.
  const start = text.trimStart().slice(0, columns * 16)
  return cutToColumns(safeText(start).replace(/\s+/gu, ' ').trim(), columns)
}

/** `text` cut between characters to at most `columns` terminal columns; a cut is marked with `…`. */
export function cutToColumns(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text
  let kept = ''
  let width = 0
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { segment } of characters.segment(text)) {
    width += Bun.stringWidth(segment)
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** Made when it is first needed: that takes as long as a quarter of the program's start. */
let characters: Intl.Segmenter | null = null

/** Control characters other than tab and newline, and characters that reorder what a person reads. */
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const SUSPECT = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** OSC, DCS, SOS, PM and APC strings up to their end; CSI sequences; other escapes. In seven-bit and eight-bit form. */
const SEQUENCE =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b[\x20-\x2f]*[\x30-\x7e]/gu

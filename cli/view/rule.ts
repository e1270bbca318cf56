/** Columns of a ruled line where the terminal is not narrower. */
export const RULE_COLUMNS = 76

/** A line of its own: `── text ───…`, filled up to the width. A longer text just ends in `──`. */
export function rule(text: string, columns: number = RULE_COLUMNS): string {
  const head = `── ${text} ──`
  return head + '─'.repeat(Math.max(0, Math.min(columns, RULE_COLUMNS) - Bun.stringWidth(head)))
}

/** `1 iteration`, `3 iterations`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

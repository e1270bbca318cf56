/** A text in lines of at most `columns` columns, broken between words. A word that is longer has a line of its own. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

import type { Palette } from './colour.ts'
import { cutToColumns, safeText } from './safe-text.ts'

/** Columns with a heading, aligned; all but the last are as wide as their widest cell, at most 60. Ends with a newline. */
export function renderTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Palette,
): string {
  const cells = rows.map((row) => row.map((cell) => safeText(cell).replaceAll('\n', ' ')))
  const widths = heading.map((title, i) =>
    Math.min(
      60,
      Math.max(...[title, ...cells.map((row) => row[i] ?? '')].map((cell) => Bun.stringWidth(cell))),
    ),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : padded(cell, widths[i] ?? 0)))
      .join('  ')
      .trimEnd()
  return `${[paint.bold(line(heading)), ...cells.map(line)].join('\n')}\n`
}

function padded(cell: string, columns: number): string {
  const text = cutToColumns(cell, columns)
  return text + ' '.repeat(Math.max(0, columns - Bun.stringWidth(text)))
}

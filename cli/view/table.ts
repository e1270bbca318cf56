import type { Palette } from './colour.ts'
import { cutToColumns, safeText } from './safe-text.ts'

/** Columns with a heading, aligned; all but the last are as wide as their widest cell, at most 60. Ends with a newline. */
export function renderTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Palette,
): string {
  return growingTable(heading, { paint })(rows)
}

export interface TableStyle {
  readonly paint: Palette
  /** Least widths of the first columns, for rows that are not known yet. */
  readonly least?: readonly number[]
  /** Cells of the last column are previews: cut at this width of the whole line, but not below `PREVIEW` columns. */
  readonly cutAt?: number | null
}

/**
 * A table whose rows come piece by piece: each call gives the text of further ones, the first the heading too.
 * Columns only grow.
 */
export function growingTable(
  heading: readonly string[],
  { paint, least = [], cutAt = null }: TableStyle,
): (rows: readonly (readonly string[])[]) => string {
  const widths = heading.map((title, i) => Math.max(least[i] ?? 0, Bun.stringWidth(title)))
  let begun = false
  const preview = (cell: string): string => {
    if (cutAt === null) return cell
    const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
    return cutToColumns(cell, Math.max(PREVIEW, cutAt - before))
  }
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === row.length - 1 ? preview(cell) : padded(cell, widths[i] ?? 0)))
      .join('  ')
      .trimEnd()

  return (rows) => {
    const cells = rows.map((row) => row.map((cell) => safeText(cell).replaceAll('\n', ' ')))
    for (const row of cells) {
      for (const [i, cell] of row.entries()) {
        widths[i] = Math.max(widths[i] ?? 0, Math.min(WIDEST, Bun.stringWidth(cell)))
      }
    }
    const lines = [...(begun ? [] : [paint.bold(line(heading))]), ...cells.map(line)]
    begun = true
    return lines.map((text) => `${text}\n`).join('')
  }
}

const PREVIEW = 20
const WIDEST = 60

function padded(cell: string, columns: number): string {
  const text = cutToColumns(cell, columns)
  return text + ' '.repeat(Math.max(0, columns - Bun.stringWidth(text)))
}

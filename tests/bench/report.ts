/** One measured figure. */
export interface Row {
  readonly what: string
  readonly figure: string
  readonly note: string
}

/** A table for a terminal. */
export function renderRows(rows: readonly Row[]): string {
  const width = (pick: (row: Row) => string): number => Math.max(...rows.map((row) => pick(row).length))
  const what = width((row) => row.what)
  const figure = width((row) => row.figure)
  return rows
    .map((row) => `${row.what.padEnd(what)}  ${row.figure.padStart(figure)}  ${row.note}`.trimEnd())
    .join('\n')
}

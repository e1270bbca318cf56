import type { Sample } from './measure.ts'

/** One line of the table. */
export interface Row {
  readonly what: string
  readonly sample: Sample
  /** `ms`, `s`, `MB`, `%`, `µs`, or `×` for a ratio. */
  readonly unit: string
  /** What is to be reached, in words, and whether the figure that it speaks of does. */
  readonly aim?: { readonly says: string; readonly met: boolean }
}

/** A table for a terminal: measured figures, and below them what they are of their peers. */
export function renderRows(rows: readonly Row[]): string {
  const lines = [
    ['', 'median', 'min', 'max', 'aim', ''],
    ...rows.map(({ what, sample, unit, aim }) => [
      what,
      figure(sample.median, unit),
      figure(sample.least, unit),
      figure(sample.most, unit),
      aim?.says ?? '',
      aim === undefined ? '' : aim.met ? 'met' : 'NOT MET',
    ]),
  ]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths?.[column] ?? 0
          return column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function figure(value: number, unit: string): string {
  const digits = unit === '×' || unit === 's' || unit === 'µs' ? 2 : 1
  return `${value.toFixed(digits)} ${unit}`
}

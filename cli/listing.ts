import type { FlagSpec } from './arguments.ts'
import { writeOut } from './stdout.ts'
import { lookAtTerminal } from './terminal.ts'
import { jsonLine } from './view/json.ts'
import { renderTable } from './view/table.ts'

/** The flags of every command that prints a list. */
export const LISTING_FLAGS = {
  format: {
    type: 'one',
    value: 'FORMAT',
    choices: ['table', 'json'],
    description: 'table or json',
    default: 'table',
    group: 'Output',
  },
  json: { type: 'bool', description: 'The same as --format json', group: 'Output' },
} as const satisfies Readonly<Record<string, FlagSpec>>

/** Prints rows on stdout: as a table of the chosen columns, or whole as a JSON array. */
export function printListing<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
  flags: { readonly format: string | undefined; readonly json: boolean; readonly color: string | undefined },
): void {
  if (flags.json || flags.format === 'json') {
    writeOut(`${jsonLine(rows)}\n`)
    return
  }
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)))
  writeOut(renderTable(Object.keys(columns), cells, lookAtTerminal(flags.color, process.env).out))
}

import type { FlagSpec } from './arguments.ts'
import { writeOut } from './stdout.ts'
import { lookAtTerminal, stdoutColumns } from './terminal.ts'
import { jsonLine } from './view/json.ts'
import { growingTable } from './view/table.ts'

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

interface ListingFlags {
  readonly format: string | undefined
  readonly json: boolean
  readonly color: string | undefined
}

/** A list on stdout. */
export interface Listing<Row> {
  /** All of it: a table of the chosen columns, or the rows whole as a JSON array. */
  print(rows: readonly Row[]): void
  /** A part of it, as it comes: further lines of a table, or one JSON object a line. False once nobody reads any more. */
  add(rows: readonly Row[]): boolean
}

/** @param look of the table: widths to begin with, and whether the last column is a preview, cut to the terminal's width */
export function listing<Row>(
  columns: Readonly<Record<string, (row: Row) => string>>,
  flags: ListingFlags,
  look: { readonly least?: readonly number[]; readonly preview?: boolean } = {},
): Listing<Row> {
  const isJson = flags.json || flags.format === 'json'
  const terminal = lookAtTerminal(flags.color, process.env)
  const table = growingTable(Object.keys(columns), {
    paint: terminal.out,
    least: look.least ?? [],
    cutAt: look.preview ? stdoutColumns(terminal) : null,
  })
  const tabled = (rows: readonly Row[]): string =>
    table(rows.map((row) => Object.values(columns).map((cell) => cell(row))))
  return {
    print: (rows) => void writeOut(isJson ? `${jsonLine(rows)}\n` : tabled(rows)),
    add: (rows) => writeOut(isJson ? rows.map((row) => `${jsonLine(row)}\n`).join('') : tabled(rows)),
  }
}

/** Prints a list that is complete. */
export function printListing<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
  flags: ListingFlags,
): void {
  listing(columns, flags).print(rows)
}

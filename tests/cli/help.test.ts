import { describe, expect, test } from 'bun:test'
import { asksForHelp } from '../../cli/command.ts'
import { renderHelp } from '../../cli/help.ts'
import { createPalette } from '../../cli/view/colour.ts'

const plain = { paint: createPalette(false) }

describe('a help page', () => {
  test('has the examples first, then the form, then flags in groups with their defaults, global ones last', () => {
    const page = renderHelp(
      {
        name: 'brew',
        summary: 'Makes tea',
        examples: ['ralph brew green', 'ralph brew --cups 3 black'],
        positionals: [{ name: 'KIND', required: true, description: 'Which tea' }],
        rest: { name: 'ARGS…', description: "The kettle's own" },
        flags: {
          help: { type: 'bool', short: 'h', description: 'Show this page', group: 'Global' },
          cups: { type: 'one', short: 'n', value: 'N', description: 'How many', default: '1', group: 'Tea' },
          add: { type: 'many', value: 'WHAT', description: 'Something in it', group: 'Tea' },
          old: { type: 'bool', description: 'Not shown', hidden: true },
          milk: { type: 'bool', description: 'With milk' },
        },
      },
      plain,
    )
    expect(page).toBe(`ralph brew — Makes tea

  ralph brew green
  ralph brew --cups 3 black

Usage  ralph brew <KIND> [flags] [-- ARGS…]

Arguments
  KIND      Which tea
  -- ARGS…  The kettle's own

Tea
  -n, --cups N    How many (default: 1)
      --add WHAT  Something in it (repeatable)

Flags
      --milk  With milk

Global
  -h, --help  Show this page
`)
  })

  test('wraps long descriptions under their own column', () => {
    const page = renderHelp(
      {
        name: 'x',
        summary: 's',
        examples: [],
        positionals: [],
        flags: { a: { type: 'bool', description: 'word '.repeat(40).trim() } },
      },
      plain,
    )
    const lines = page.split('\n').filter((line) => line.includes('word'))
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(96)
    for (const line of lines.slice(1)) expect(line).toStartWith('         ')
  })
})

describe('a help page in a narrow terminal', () => {
  const page = renderHelp(
    {
      name: 'x',
      summary: 's',
      examples: [],
      positionals: [],
      flags: {
        'a-long-name': { type: 'one', value: 'SOMETHING', description: 'word '.repeat(20).trim() },
        b: { type: 'bool', description: 'short' },
      },
    },
    { paint: createPalette(false), columns: 40 },
  )

  test('stays within its columns', () => {
    for (const line of page.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  })

  test('gives a long flag a line of its own, and keeps the descriptions in one column', () => {
    expect(page).toContain('\n      --a-long-name SOMETHING\n                 word word')
    expect(page).toContain('\n      --b        short\n')
  })
})

describe('asking for help', () => {
  test.each([
    [['--help'], true],
    [['-p', 'x', '-h'], true],
    [['--', '--help'], false],
    [['--payloads=--help'], false],
    [['-p', 'say --help'], false],
  ])('%p: %p', (words, wanted) => {
    expect(asksForHelp(words)).toBe(wanted)
  })
})

import { describe, expect, test } from 'bun:test'
import { safeParse } from 'valibot'
import { parse } from 'yaml'
import { defineBackend } from '../../core/backend/define.ts'
import { formatFault } from '../../core/config/fault.ts'
import { type BackendSummary, loadSettings } from '../../core/config/load.ts'
import { normalize } from '../../core/config/normalize.ts'
import type { Field } from '../../core/config/schema/field.ts'
import { configSchema } from '../../core/config/schema.ts'
import { builtins } from '../../plugins/index.ts'
import { builtinPresets } from '../../presets/index.ts'
import { sandbox } from '../helpers/sandbox.ts'
import { blocks, page, pages } from './markdown.ts'

const PAGE = page('docs/configuration.md')
const INERT_HEADING = 'Accepted without effect'

/** A row of a table of keys; the heading above it gives the section. */
interface Row {
  readonly section: string
  readonly cells: readonly string[]
}

const rows = readRows(PAGE.text)
const documented = rows.filter(({ section }) => section !== INERT_HEADING)

describe('docs/configuration.md', () => {
  test('has every key that the schema reads, and no other', () => {
    const keys = documented.map(pathOf).map(generic)
    expect(keys.toSorted()).toEqual(paths(configSchema, 'effective').map(generic).toSorted())
  })

  test('has every key that is accepted without effect, and no other', () => {
    const keys = rows
      .filter(({ section }) => section === INERT_HEADING)
      .flatMap(({ cells }) => words(cells[0] ?? ''))
    expect(keys.map(generic).toSorted()).toEqual(paths(configSchema, 'inert').map(generic).toSorted())
  })

  test('gives type, default, meaning and an example of every key', () => {
    const incomplete = documented.filter(({ cells }) => {
      const [, type, standard, meaning, example] = cells
      const inherits = standard?.startsWith('as in') || standard?.startsWith('that of')
      return !type || !standard || !example || (!meaning && !inherits)
    })
    expect(incomplete.map(pathOf)).toEqual([])
  })

  test('names the defaults that the program has', () => {
    const settings: unknown = normalize({}, [])
    const wrong = documented.flatMap((row) => {
      if (!['event_loop', 'cli', 'features'].includes(row.section)) return []
      const path = pathOf(row).split('.').map(camel)
      const said = words(row.cells[2] ?? '')[0]
      const is = path.reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        settings,
      )
      return JSON.stringify(said === undefined ? undefined : parse(said)) === JSON.stringify(is)
        ? []
        : [pathOf(row)]
    })
    expect(wrong).toEqual([])
  })

  test('gives examples that the program takes', async () => {
    for (const row of documented) {
      const example = words(row.cells[4] ?? '')[0] ?? ''
      const field = fieldAt(pathOf(row))
      if (field === null) throw new Error(`no field for ${pathOf(row)}`)
      expect(`${pathOf(row)}: ${faultOf(field, parse(example))}`).toBe(`${pathOf(row)}: null`)
    }
  })
})

describe('every configuration in the documentation loads without an error or a warning', () => {
  const files = pages()
    .flatMap(blocks)
    .flatMap((block) => {
      const name = /^# ([\w-]+\.yml)\n/.exec(block.text)?.[1]
      return block.language === 'yaml' && name !== undefined && !NOT_CONFIG.has(name)
        ? [{ ...block, name }]
        : []
    })

  test('there are some', () => {
    expect(files.length).toBeGreaterThan(6)
  })

  test('every YAML block says on its first line which file it is', () => {
    const unnamed = pages()
      .flatMap(blocks)
      .filter(({ language, text }) => language === 'yaml' && !/^# [\w./-]+\.yml\b/.test(text))
    expect(unnamed.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  })

  for (const { page, line, name, text } of files) {
    test(`${page}:${line} ${name}`, async () => {
      await using box = sandbox()
      box.write(name, `${text}\n`)
      const isMain = name === 'ralph.yml'
      const result = await loadSettings({
        configArgs: [],
        ...(isMain ? {} : { hats: name }),
        flags: {},
        env: { HOME: box.home },
        cwd: box.dir,
        presets: builtinPresets,
        backends: await backends(),
      })
      const faults = result.ok ? result.value.warnings : result.error.map(formatFault)
      expect(faults).toEqual([])
    })
  }
})

/** Files of other kinds: scripts of the mock. */
const NOT_CONFIG: ReadonlySet<string> = new Set(['rehearsal.yml'])

async function backends(): Promise<ReadonlyMap<string, BackendSummary>> {
  const loaded = Object.entries(builtins).map(async ([name, { load }]) => {
    const { default: backend } = await load()
    const { takesModel, reportsCost, reportsTokens } = defineBackend(backend).traits
    return [name, { takesModel, reportsCost, reportsTokens }] as const
  })
  return new Map(await Promise.all(loaded))
}

// ---------------------------------------------------------------- the page

/** Rows of tables whose first column is `key`. */
function readRows(text: string): readonly Row[] {
  const found: Row[] = []
  let section = ''
  let inKeys = false
  for (const line of text.split('\n')) {
    const heading = /^## `?([^`]+)`?$/.exec(line)?.[1]
    if (heading !== undefined) section = heading
    if (!line.startsWith('|')) {
      inKeys = false
      continue
    }
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    if (cells[0] === 'key') inKeys = true
    else if (inKeys && !/^-+$/.test(cells[0] ?? '')) found.push({ section, cells })
  }
  return found
}

function pathOf({ section, cells }: Row): string {
  const [key = ''] = words(cells[0] ?? '')
  return section === 'Top level' ? key : `${section}.${key}`
}

/** What stands in backticks. */
function words(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
}

/** `<id>`, `<backend>`, … are all names that the user gives. */
function generic(path: string): string {
  return path.replace(/<\w+>/g, '<>')
}

function camel(key: string): string {
  return key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

// ---------------------------------------------------------------- the schema

/** Paths of all keys that hold a value. A section that has a short form is a value, too. */
function paths(field: Field, kind: 'effective' | 'inert', path: readonly string[] = []): readonly string[] {
  const { shape } = field
  switch (shape.kind) {
    case 'section':
      return Object.entries(shape.entries).flatMap(([key, entry]) => paths(entry, kind, [...path, key]))
    case 'named':
      return paths(shape.value, kind, [...path, '<>'])
    case 'either':
      return [...(kind === 'effective' ? [path.join('.')] : []), ...paths(shape.section, kind, path)]
    case 'list':
      if (shape.item.shape.kind === 'section') return paths(shape.item, kind, path)
      return kind === 'effective' ? [path.join('.')] : []
    case 'value':
      return kind === 'effective' ? [path.join('.')] : []
    case 'inert':
      return kind === 'inert' ? [path.join('.')] : []
    case 'refused':
      return []
  }
}

function fieldAt(path: string): Field | null {
  let field: Field = configSchema
  for (const key of path.split('.')) {
    let shape = field.shape
    if (shape.kind === 'either') shape = shape.section.shape
    if (shape.kind === 'named') field = shape.value
    else if (shape.kind === 'section') {
      const next: Field | undefined = shape.entries[key]
      if (next === undefined) return null
      field = next
    } else return null
  }
  return field
}

function faultOf(field: Field, value: unknown): string | null {
  const result = safeParse(field, value)
  return result.success ? null : (result.issues[0]?.message ?? 'wrong')
}

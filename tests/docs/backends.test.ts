import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../../cli/command-line.ts'
import { type AgentTask, type Backend, FAILURE_CLASSES, type LoginFile } from '../../core/backend/contract.ts'
import { defineBackend } from '../../core/backend/define.ts'
import { builtins } from '../../plugins/index.ts'
import { READERS } from '../plugins/captured.ts'
import { TASK } from '../plugins/replay.ts'
import { PROGRAMS } from '../real/programs/index.ts'
import { blocks, type Page, page } from './markdown.ts'

const root = join(import.meta.dir, '../..')
const FOLDER = 'docs/backends'
const names = Object.keys(builtins)

const loaded = await Promise.all(
  Object.values(builtins).map(async ({ load }) => defineBackend((await load()).default)),
)

const SECTIONS = [
  'Install',
  'Log in',
  'How it is called',
  'What ralph reads from it',
  'Cost and tokens',
  'Many at once',
  'Known limits and trouble',
  'How it was tested',
]

/** What a user has configured for a backend that has no program of its own. */
const CONFIGURED: Readonly<Record<string, Partial<AgentTask>>> = {
  custom: { command: './agent.sh', args: ['--fast'] },
}

test('every built-in backend has a page, and every page a backend', () => {
  const files = readdirSync(join(root, FOLDER)).filter((name) => name !== 'README.md')
  expect(files.toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted())
})

describe.each(loaded.map((backend) => [backend.name, backend] as const))(
  'the page of %s',
  (name, backend) => {
    const one = page(`${FOLDER}/${name}.md`)
    const calls = callsOf(one)
    const given = CONFIGURED[name] ?? {}

    test('has the same parts as the others, in the same order', () => {
      const headings = [...one.text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
      expect(headings.filter((heading) => heading !== 'Access')).toEqual(SECTIONS)
      expect(one.text).toStartWith('# ')
    })

    test('shows the command line of a plain task', () => {
      expect(calls.get('')).toBe(line(backend, given))
    })

    test('says why of each word of it', () => {
      if (name === 'custom' || name === 'mock') return
      const explained = rowsOf(one, 'word').flatMap(([cell = '']) => wordsIn(cell))
      const [, ...words] = invoked(backend, given).argv.map((word) => word.replace(/=.*/, '=…'))
      const told = explained.flatMap((phrase) => phrase.split(' ')).map((word) => word.replace(/=.*/, '=…'))
      expect(told).toEqual(words.filter((word) => !PLACEHOLDERS.has(word)))
      for (const [, why] of rowsOf(one, 'word')) expect(why).not.toBe('')
    })

    test('has the variables that are set and removed, and no other', () => {
      const rows = rowsOf(one, 'variable').flatMap(([cell = '', value = '', why = '']) =>
        wordsIn(cell).map((variable) => ({ variable, value, why })),
      )
      const { set = {}, unset = [] } = invoked(backend, given).env ?? {}
      const told = new Map(rows.map(({ variable, value }) => [variable, value]))
      for (const [variable, value] of Object.entries(set)) expect(told.get(variable)).toBe(`\`${value}\``)
      for (const variable of unset) expect(`${variable} ${told.get(variable)}`).toBe(`${variable} removed`)

      const possible = CIRCUMSTANCES.flatMap((more) => {
        const env = invoked(backend, { ...given, ...more }).env ?? {}
        return [...Object.keys(env.set ?? {}), ...(env.unset ?? [])]
      })
      expect([...told.keys()].toSorted()).toEqual([...new Set(possible)].toSorted())
      expect(rows.filter(({ why }) => why === '')).toEqual([])
    })

    test('says how model, effort and a conversation are passed, where they are', () => {
      const rows = new Map(
        rowsOf(one, 'setting').map(([setting = '', becomes = '']) => [setting, wordsIn(becomes)[0] ?? '']),
      )
      const { takesModel, effort, resumes } = backend.traits
      expect([...rows.keys()]).toEqual([
        ...(takesModel ? ['`cli.model`'] : []),
        ...(effort === undefined ? [] : ['`cli.effort`']),
        ...(resumes ? ['a resumed conversation'] : []),
      ])
      const { argv } = invoked(backend, {
        ...given,
        ...(takesModel ? { model: 'MODEL' } : {}),
        ...(effort === undefined ? {} : { effort: 'EFFORT' }),
        ...(resumes ? { resume: { session: 'SESSION', usage: null, costUsd: null } } : {}),
      })
      for (const words of rows.values()) expect(` ${argv.join(' ')} `).toContain(` ${words} `)
      const levels = /^Levels of effort: (.+)\.$/m.exec(one.text)?.[1] ?? ''
      expect(wordsIn(levels)).toEqual([...(effort ?? [])])
    })

    test('says how long it has to end itself', () => {
      const grace = (invoked(backend, given).killGraceMs ?? 250) / 1000
      expect(one.text.replace(/\s+/g, ' ')).toContain(
        `its process group gets TERM, and KILL ${grace} s later`,
      )
    })

    test('shows each level of access that it is held to, in words and as a command line', () => {
      const { enforces } = backend.traits
      const levels = (['read', 'edit'] as const).filter((level) => enforces[level] !== undefined)
      expect(/^## Access$/m.test(one.text)).toBe(levels.length > 0)
      const shown = [...one.text.matchAll(/^`(read|edit)`: (.+)\.$/gm)].map(([, level, says]) => [
        level,
        says,
      ])
      expect(shown).toEqual(levels.map((level) => [level, enforces[level]?.says]))
      for (const level of ['read', 'edit'] as const) {
        const held = line(backend, { ...given, access: level })
        const expected = levels.includes(level) && held !== line(backend, given) ? held : undefined
        expect(`${level}: ${calls.get(level)}`).toBe(`${level}: ${expected}`)
      }
    })

    test('names what ralph doctor knows of installing and logging in', () => {
      const { install, login } = backend.setup ?? {}
      if (install !== undefined) expect(section(one, 'Install')).toContain(install)
      if (login === undefined) return
      const text = section(one, 'Log in')
      expect(text).toContain(`To log in: ${login.how}.`)
      const files = [...login.files, ...(login.elsewhere?.ifThere ?? [])]
      const signs = [...login.variables, ...files.flatMap(pathOf)]
      expect([...new Set(wordsIn(tablesIn(text)))].toSorted()).toEqual([...new Set(signs)].toSorted())
      if (login.elsewhere !== undefined) expect(text).toContain(`| ${login.elsewhere.where} |`)
    })

    test('names the trouble that is known, by release', () => {
      const rows = rowsOf(one, 'releases').map(([releases = '', text]) => [
        releases === 'all' ? '*' : releases.replaceAll('`', ''),
        text,
      ])
      expect(rows).toEqual((backend.setup?.troubles ?? []).map(({ versions, text }) => [versions, text]))
    })

    test('has every class of failure that was captured, and only such as there are', () => {
      const classes = rowsOf(one, 'it says').flatMap(([, cell = '']) => wordsIn(cell))
      expect(classes.filter((word) => !FAILURE_CLASSES.some((known) => known === word))).toEqual([])
      const captured = READERS.find((reader) => reader.name === name)?.captures ?? []
      const seen = new Set(captured.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'ok'))
      expect([...seen].filter((verdict) => !classes.includes(verdict))).toEqual([])
    })

    test('names the releases that it was tested with', () => {
      const tested = section(one, 'How it was tested')
      const version = realVersion(name)
      if (version !== null) expect(tested).toContain(`As the real program, ${version},`)
      else if (backend.setup?.measured !== undefined) expect(tested).toStartWith('On captured streams')
      else if (!backend.traits.verified) {
        expect(tested).toStartWith('Untested.')
        expect(one.text).toContain('**Unverified**')
      }
      if (version === null)
        for (const release of backend.setup?.measured ?? []) expect(tested).toContain(release)
    })
  },
)

test('the page of custom shows its other ways to hand over a prompt', async () => {
  const custom = loaded.find(({ name }) => name === 'custom')
  if (custom === undefined) throw new Error('there is no custom')
  const calls = callsOf(page(`${FOLDER}/custom.md`))
  expect(calls.get('flag')).toBe(line(custom, { ...CONFIGURED.custom, promptFlag: '--message' }))
  expect(calls.get('stdin')).toBe(line(custom, { ...CONFIGURED.custom, promptMode: 'stdin' }))
})

test('the index has a row of facts for each backend', () => {
  const rows = rowsOf(page(`${FOLDER}/README.md`), 'backend')
  expect(rows.toSorted(byName)).toEqual(loaded.map(factsOf).toSorted(byName))
})

// ---------------------------------------------------------------- the program

const PROMPT = '<prompt>'

/** Words of a command line that stand for what differs from agent to agent. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([PROMPT])

/** All that changes the environment of an agent. */
const CIRCUMSTANCES: readonly Partial<AgentTask>[] = [
  {},
  { env: { SURFACE: 'Github' } },
  { access: 'read' },
  { access: 'edit' },
  { role: { ...TASK.role, kind: 'worker' } },
]

function invoked(backend: Backend, more: Partial<AgentTask>): ReturnType<Backend['invoke']> {
  return backend.invoke({ ...TASK, prompt: PROMPT, promptFile: PROMPT, ...more })
}

/** As `ralph run --dry-run` shows it. */
function line(backend: Backend, { env: _, role: __, ...options }: Partial<AgentTask>): string {
  return commandLine({ hat: '', backend, options: { args: [], ...options } })
}

function factsOf({ name, traits, setup }: Backend): readonly string[] {
  const said = (is: boolean): string => (is ? 'yes' : 'no')
  const version = realVersion(name)
  const levels = (['read', 'edit'] as const).filter((level) => traits.enforces[level] !== undefined)
  return [
    `[${name}](${name}.md)`,
    traits.output,
    said(traits.reportsCost),
    said(traits.reportsTokens),
    said(traits.takesModel),
    said(traits.effort !== undefined),
    said(traits.resumes),
    levels.join(', ') || '–',
    version === null
      ? testedOtherwise(name, traits.verified, setup?.measured)
      : `against the real program, ${version}`,
  ]
}

function testedOtherwise(name: string, verified: boolean, measured?: readonly string[]): string {
  if (!verified) return 'untested: written from its documentation'
  if (name === 'custom') return 'with programs of our tests'
  if (name === 'mock') return 'as itself'
  return `on captured streams, ${measured?.join(', ')}`
}

/** The release that tests/real runs; null: it runs none. */
function realVersion(name: string): string | null {
  if (!PROGRAMS.some((program) => program.name === name)) return null
  const source = readFileSync(join(root, `tests/real/programs/${name}.ts`), 'utf8')
  const version = /version(?:: | = )'(\d+\.\d+\.\d+)'/i.exec(source)?.[1]
  if (version === undefined) throw new Error(`no version in tests/real/programs/${name}.ts`)
  return version
}

// ---------------------------------------------------------------- the pages

/** Blocks that are marked `text call <which>`, as one line each. */
function callsOf(one: Page): ReadonlyMap<string, string> {
  return new Map(
    blocks(one).flatMap(({ info, text }) => {
      const which = /^text call ?(\w*)$/.exec(info)?.[1]
      return which === undefined ? [] : [[which, text.replace(/ \\\n\s*/g, ' ')] as const]
    }),
  )
}

function section({ text }: Page, heading: string): string {
  return (text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').trim()
}

/** Rows of the tables whose first column is `first`. */
function rowsOf({ text }: Page, first: string): readonly (readonly string[])[] {
  return tablesIn(text)
    .split('\n\n')
    .map((table) => table.split('\n').map(cellsOf))
    .filter(([head]) => head?.[0] === first)
    .flatMap((table) => table.slice(2))
}

/** Its tables, with an empty line between. */
function tablesIn(text: string): string {
  return [...text.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([table]) => table.trim()).join('\n\n')
}

function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
}

/** What stands in backticks. */
function wordsIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
}

/** A sign of a login as the pages write it: the file, and the variable with the folder that it stands in for. */
function pathOf({ variable, folder, name }: LoginFile): readonly string[] {
  const path = `~/${folder}/${name}`
  return variable === undefined ? [path] : [path, `$${variable}`, `~/${folder}`]
}

function byName([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a < b ? -1 : Number(a > b)
}

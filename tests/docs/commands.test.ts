import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { RALPH } from '../helpers/sandbox.ts'
import { blocks, type Page, page, pages, prose } from './markdown.ts'

/** A command as the help of the program describes it. */
interface Command {
  readonly name: string
  readonly flags: ReadonlySet<string>
}

const root = join(import.meta.dir, '../..')
const commands = readCommands()
/** Words that group commands stand for their `list`. */
const groups = new Set(
  [...commands.keys()].flatMap((name) => (name.includes(' ') ? [name.split(' ')[0]] : [])),
)

describe('commands in the documentation', () => {
  test('docs/commands.md is what `npm run docs` makes of the help', () => {
    const made = run(['node', join(root, '.ci/commands.mjs'), '--print', RALPH])
    expect(page('docs/commands.md').text).toBe(made)
  })

  test('docs/commands.md has every flag of every command', () => {
    const { text } = page('docs/commands.md')
    for (const { name, flags } of commands.values()) {
      const part = name === '' ? text : (text.split(`\n## ralph ${name}\n`)[1]?.split('\n## ')[0] ?? '')
      for (const flag of flags)
        expect(
          `${name}: ${part.includes(flag) || text.split('\n## ralph ')[0]?.includes(flag)} ${flag}`,
        ).toBe(`${name}: true ${flag}`)
    }
  })

  const lines = pages().flatMap(commandLines)

  test('there are many command lines to look at', () => {
    expect(lines.length).toBeGreaterThan(60)
  })

  test('every command and every flag in a code block is in the help', () => {
    expect(lines.flatMap(({ page, text }) => faults(text).map((fault) => `${page}: ${fault}`))).toEqual([])
  })

  test('every command that the text names exists', () => {
    const named = pages()
      .filter(({ path }) => path !== 'docs/commands.md')
      .flatMap((one) =>
        [...prose(one).matchAll(/`(ralph [a-z][^`]*)`/g)].map(([, text = '']) => ({ page: one.path, text })),
      )
    expect(named.length).toBeGreaterThan(30)
    expect(named.flatMap(({ page, text }) => faults(text).map((fault) => `${page}: ${fault}`))).toEqual([])
  })
})

describe('the checks themselves', () => {
  test('find an unknown command, an unknown flag, and a flag of another command', () => {
    expect(faults('ralph frobnicate -p x')).toEqual(['no command `ralph frobnicate`'])
    expect(faults("ls | ralph wave run --prmpt 'x -q' -j 4")).toEqual(['`ralph wave run` has no --prmpt'])
    expect(faults('x=$(ralph run -q --stdin)')).toEqual(['`ralph run` has no --stdin'])
  })

  test('leave alone what is quoted, what follows `--`, and what other programs get', () => {
    expect(faults("ralph run -p 'use --frob' -- --frob | jq --nope")).toEqual([])
    expect(faults('RALPH_DIAGNOSTICS=1 ralph run -bmock -p x && ls --nope')).toEqual([])
  })
})

// ---------------------------------------------------------------- the help

function readCommands(): ReadonlyMap<string, Command> {
  const front = help([])
  const list = front.split('\n\n').find((part) => part.startsWith('Commands\n')) ?? ''
  const names = list.split('\n').flatMap((line) => /^ {2}(\S+(?: \S+)?) {2}/.exec(line)?.[1] ?? [])
  return new Map(
    ['', ...names].map((name) => [name, { name, flags: flagsOf(help(name === '' ? [] : name.split(' '))) }]),
  )
}

function flagsOf(text: string): ReadonlySet<string> {
  const rows = [...text.matchAll(/^ {2}(?:(-\w), | {4})(--[\w-]+)/gm)]
  return new Set(rows.flatMap(([, short, long = '']) => (short === undefined ? [long] : [short, long])))
}

function help(words: readonly string[]): string {
  return run([RALPH, ...words, '--help'])
}

function run(argv: readonly string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...argv], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', NO_COLOR: '1' },
  })
  if (exitCode !== 0) throw new Error(`${argv.join(' ')}: exit ${exitCode}: ${stderr}`)
  return stdout.toString()
}

// ---------------------------------------------------------------- the pages

/** Lines of shell blocks and of sessions (`$ …`), continued lines joined, here-documents left out. */
function commandLines(one: Page): readonly { readonly page: string; readonly text: string }[] {
  return blocks(one).flatMap(({ page, line, language, text }) => {
    const isShell = ['sh', 'bash'].includes(language)
    if (!isShell && !['', 'text', 'console'].includes(language)) return []
    const whole = text.replace(/\\\n/g, ' ').replace(/(<<'(\w+)')\n[\s\S]*?\n\s*\2$/gm, '$1')
    const lines = whole.split('\n').flatMap((row) => {
      if (row.startsWith('$ ')) return [row.slice(2)]
      return (isShell || page === 'docs/commands.md') && !row.trimStart().startsWith('#') ? [row] : []
    })
    return lines
      .filter((row) => /(^|[\s(;|&])ralph( |$)/.test(row))
      .map((row) => ({ page: `${page}:${line}`, text: row }))
  })
}

/** What is wrong with the calls of `ralph` in a line of shell. */
function faults(line: string): readonly string[] {
  return calls(line).flatMap((words) => {
    const command = commandOf(words)
    if (command === null) return [`no command \`ralph ${words[0] ?? ''}\``]
    const [, ...rest] = [command.name, ...words]
    const end = rest.indexOf('--')
    return (end < 0 ? rest : rest.slice(0, end)).flatMap((word) => {
      const flag = /^(--[\w-]+|-[A-Za-z0])/.exec(word)?.[1]
      return flag === undefined || command.flags.has(flag) ? [] : [`\`ralph ${command.name}\` has no ${flag}`]
    })
  })
}

function commandOf(words: readonly string[]): Command | null {
  const [first = '', second = ''] = words
  const found = commands.get(`${first} ${second}`) ?? commands.get(first)
  if (found !== undefined) return found
  if (groups.has(first) && !/^[a-z]/.test(second)) {
    const group = commands.get(`${first} list`)
    if (group !== undefined) return group
  }
  return first.startsWith('-') ? (commands.get('run') ?? null) : null
}

/** The words behind each `ralph` that stands where a command stands; a quoted word comes as `''`. */
function calls(line: string): readonly (readonly string[])[] {
  const found: string[][] = []
  let open: string[] | null = null
  let atStart = true
  const token = /'[^']*'|"[^"]*"|\$\(|[|;&()]+|[^\s'"|;&()]+/g
  for (const [raw] of line.replace(/\\'/g, '').matchAll(token)) {
    if (/^(\$\(|[|;&()]+)$/.test(raw)) {
      open = null
      atStart = true
    } else if (open !== null) open.push(/^['"]/.test(raw) ? "''" : raw)
    else if (atStart && /^\w+=$|^\w+=\S|^(if|then|do|\d\)|watch|-n|\d+)$/.test(raw)) atStart = true
    else {
      if (atStart && raw === 'ralph') {
        open = []
        found.push(open)
      }
      atStart = false
    }
  }
  return found
}

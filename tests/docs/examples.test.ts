import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FAILURE_CLASSES } from '../../core/backend/contract.ts'
import { builtinPresets } from '../../presets/index.ts'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { blocks, type Page, page, pages, prose } from './markdown.ts'

const root = join(import.meta.dir, '../..')

describe.concurrent('plugins in the documentation are run as they stand there', () => {
  test('the README has one of at most twenty lines', () => {
    expect(pluginsOf(page('README.md')).map(({ lines }) => lines <= 20)).toEqual([true])
  })

  for (const { path, name, text } of pages().flatMap(pluginsOf)) {
    test(`${path}: ${name} works on the items of a wave`, async () => {
      await using box = plugged(name, text)
      const { code, stdout } = await box.ralph(['wave', 'run', '-b', name, '--plugins', 'backends'], {
        stdin: 'one two three\nfour five\n',
      })
      expect({ code, stdout }).toEqual({ code: 0, stdout: '3 words\n2 words\n' })
    })

    test(`${path}: ${name} plays an iteration of the loop, to its end`, async () => {
      await using box = plugged(name, text)
      const run = await box.ralph(['run', '-b', name, '--plugins', 'backends', '-p', 'Count me'])
      expect(run.code).toBe(0)
      expect(run.stdout).toMatch(/^\d{3,} words\n$/)
      expect(run.stderr).toContain('completed | exit 0 | 1 iteration')
    })

    test(`${path}: ${name} keeps to what ralph relies on`, async () => {
      await using box = plugged(name, text)
      const checked = await box.ralph(['plugins', 'check', `backends/${name}.ts`])
      expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('keeps to all rules') })
    })

    test(`${path}: ${name} is listed with its summary's facts`, async () => {
      await using box = plugged(name, text)
      const { stdout } = await box.ralph(['plugins', '--json', '--plugins', 'backends'])
      const rows = JSON.parse(stdout) as Record<string, unknown>[]
      expect(rows.find((row) => row.name === name)).toMatchObject({
        source: 'file',
        found: true,
        verified: true,
      })
    })
  }
})

describe.concurrent('the plugin of docs/plugins.md that reads a stream', () => {
  const tally = pluginsOf(page('docs/plugins.md')).find(({ name }) => name === 'tally')?.text ?? ''

  test('tells what each item cost and used', async () => {
    await using box = plugged('tally', tally)
    const run = await box.ralph(['wave', 'run', '-b', 'tally', '--plugins', 'backends'], {
      stdin: 'one two three\nfour five\n',
    })
    const cost = { cost_usd: 0.002, cost_source: 'reported' }
    expect(await resultsOf(box, run.stderr)).toMatchObject([
      { status: 'ok', input_tokens: 3, output_tokens: 2, ...cost },
      { status: 'ok', input_tokens: 2, output_tokens: 2, ...cost },
    ])
  })

  test('plays the session that the page shows, within a budget', async () => {
    await using box = plugged('tally', tally)
    const session = blocks(page('docs/plugins.md')).find(({ text }) =>
      text.startsWith('$ ralph run -b tally'),
    )
    const shown = session?.text ?? ''
    const { code, stdout, stderr } = await box.sh(
      shown.split('\n')[0]?.replace('$ ralph', '"$RALPH_BIN"') ?? '',
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ words\n$/) })
    const generic = (text: string): string =>
      text.replace(/\d+ (words|tokens)/g, 'N $1').replace(/\d+\.\ds/g, 'T')
    expect(generic(stderr.trim())).toBe(generic(shown.slice(shown.indexOf('\n') + 1)))
  })

  test('takes a stream without its last record for a failure, whatever the exit code', async () => {
    await using box = plugged('tally', tally)
    box.script('half.sh', '#!/bin/sh\ncat > words\necho noise\nprintf \'{"text":"3 words"}\\n\'\n')
    const run = await box.ralph(
      ['wave', 'run', '-b', 'tally', '--plugins', 'backends', '-c', 'cli.command=./half.sh'],
      { stdin: 'one two three\n' },
    )
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(await resultsOf(box, run.stderr)).toMatchObject([
      { status: 'failed', reason: expect.stringContaining('ended without a last record (exit code 0)') },
    ])
  })
})

describe.concurrent('what the README shows is what happens', () => {
  test('three hats: every event finds its way, and a rehearsal passes the critic twice', async () => {
    await using box = sandbox()
    box.write('ralph.yml', yamlOf(page('README.md')))
    expect((await box.ralph(['hats', 'validate'])).stdout).toBe('3 hats: every event finds its way\n')
    const { code, stderr } = await box.ralph(['run', '-b', 'mock', '-p', 'Add a greeting to src/a.ts'])
    expect(code).toBe(0)
    for (const step of [
      'build.start → planner',
      'task.ready → builder',
      'task.done → critic',
      'review.rejected → planner',
    ]) {
      expect(stderr).toContain(`• ${step}`)
    }
    expect(stderr).toContain('completed | exit 0 | 6 iterations')
  })

  test('getting started: two hats, rehearsed in four iterations', async () => {
    await using box = sandbox()
    box.write('ralph.yml', yamlOf(page('docs/getting-started.md')))
    expect((await box.ralph(['hats', 'validate'])).stdout).toBe('2 hats: every event finds its way\n')
    const { code, stderr } = await box.ralph(['run', '-q', '-b', 'mock', '-p', 'Add a greeting'])
    expect(code).toBe(0)
    expect(stderr).toContain('completed | exit 0 | 4 iterations')
  })

  test('a line for each item on stdout, a JSON object with --output jsonl', async () => {
    await using box = sandbox()
    box.write('src/a.ts', 'export const a = 1\n')
    const { stdout } = await box.ralph(
      ['wave', 'run', '-b', 'mock', '--prompt', 'Count the lines of {}', '--output', 'jsonl'],
      {
        stdin: 'src/a.ts\n',
      },
    )
    const shown = blocks(page('docs/waves.md')).find(({ text }) => text.includes('"cost_source"'))?.text ?? ''
    const keys = (line: string): string[] => [...line.matchAll(/"(\w+)":/g)].map(([, key = '']) => key)
    expect(keys(stdout)).toEqual(keys(shown.split('\n')[1] ?? ''))
  })
})

describe('words of the documentation', () => {
  test('every reason for the end of a run stands in docs/exit-codes.md, with its code', () => {
    const source = readFileSync(join(root, 'core/run/stop.ts'), 'utf8')
    const reasons = [...source.matchAll(/case '(\w+)'/g)].map(([, reason = '']) => reason)
    expect(reasons.length).toBeGreaterThan(10)
    const rows = tableRows(page('docs/exit-codes.md')).map(([, reason = '']) => reason.replaceAll('`', ''))
    expect([...new Set(rows.filter((row) => reasons.includes(row)))].sort()).toEqual(reasons.toSorted())
  })

  test('every status of an item stands in docs/waves.md', () => {
    const sources = [...new Bun.Glob('core/**/*.ts').scanSync(root)].map((name) =>
      readFileSync(join(root, name), 'utf8'),
    )
    const union =
      sources.flatMap((source) => /export type Status =([\s\S]*?)\n\n/.exec(source)?.[1] ?? [])[0] ?? ''
    const statuses = [...union.matchAll(/'(\w+)'/g)].map(([, status = '']) => status)
    expect(statuses.length).toBeGreaterThan(5)
    const rows = tableRows(page('docs/waves.md')).map(([status = '']) => status.replaceAll('`', ''))
    expect(statuses.filter((status) => !rows.includes(status))).toEqual([])
  })

  test('every class of failure stands in docs/plugins.md', () => {
    const { text } = page('docs/plugins.md')
    expect(FAILURE_CLASSES.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })

  test('every built-in preset stands in docs/presets.md, and no other', () => {
    const rows = tableRows(page('docs/presets.md')).map(([name = '']) => name.replaceAll('`', ''))
    expect(rows.toSorted()).toEqual(Object.keys(builtinPresets).toSorted())
  })
})

test('every npm script that the documentation names is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = pages().flatMap(({ text }) =>
    [...text.matchAll(/\bnpm (?:run ([\w:]+)|(test|start)\b)/g)].map(([, run, short]) => run ?? short ?? ''),
  )
  expect(named).toEqual(expect.arrayContaining(['demo', 'test']))
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
})

describe('links of the documentation', () => {
  test('lead to files and headings that are there', () => {
    const broken = pages().flatMap((one) =>
      [...prose(one).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
        if (/^\w+:/.test(target)) return []
        const [file = '', anchor] = target.split('#')
        const path = file === '' ? one.path : join(dirname(one.path), file)
        if (!existsSync(join(root, path))) return [`${one.path}: ${target}`]
        if (anchor === undefined) return []
        return anchors(readFileSync(join(root, path), 'utf8')).includes(anchor)
          ? []
          : [`${one.path}: ${target}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('name every page of docs/ in the README, and those below it in the index of their folder', () => {
    const missing = pages().flatMap(({ path }) => {
      const [, folder = '', name = ''] = /^(docs\/.+\/)?(.*)$/.exec(path) ?? []
      if (!path.startsWith('docs/')) return []
      const isBelow = folder !== '' && name !== 'README.md'
      const { text } = page(isBelow ? `${folder}README.md` : 'README.md')
      return text.includes(`](${isBelow ? name : path})`) ? [] : [path]
    })
    expect(missing).toEqual([])
  })
})

/** Outcomes of the wave that a summary names. */
async function resultsOf(box: Sandbox, summary: string): Promise<unknown> {
  const [wave = ''] = /w-[0-9a-f-]+/.exec(summary) ?? []
  return JSON.parse((await box.ralph(['wave', 'results', wave, '--json'])).stdout)
}

/** Blocks of TypeScript that begin with `// backends/<name>.ts`. */
function pluginsOf(one: Page) {
  return blocks(one).flatMap(({ language, text }) => {
    const name = /^\/\/ backends\/([a-z-]+)\.ts/.exec(text)?.[1]
    return language === 'ts' && name !== undefined
      ? [{ path: one.path, name, text, lines: text.split('\n').length }]
      : []
  })
}

function plugged(name: string, text: string): Sandbox {
  const box = sandbox()
  box.write(`backends/${name}.ts`, text)
  return box
}

/** The first configuration of a page. */
function yamlOf(one: Page): string {
  const found = blocks(one).find(
    ({ language, text }) => language === 'yaml' && text.startsWith('# ralph.yml\n'),
  )
  if (found === undefined) throw new Error(`${one.path} has no configuration`)
  return found.text
}

/** Cells of all rows of tables below their headings. */
function tableRows({ text }: Page): readonly (readonly string[])[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    if (!line.startsWith('|') || /^\|[\s|-]+$/.test(line) || /^\|[\s|-]+$/.test(lines[i + 1] ?? '')) return []
    return [
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    ]
  })
}

/** Anchors of headings, as code hosts make them. */
function anchors(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

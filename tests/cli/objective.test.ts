import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkObjectiveFlags, type ObjectiveRequest, resolveObjective } from '../../cli/objective.ts'
import type { Stdin } from '../../cli/stdin.ts'

let cwd: string
let notes: string[]
let waited: (number | undefined)[]

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-objective-'))
  notes = []
  waited = []
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

/** A stdin that gives a text at once, or nothing at all for as long as one waits. */
function stdin(text: string | 'silent' | 'terminal'): Stdin {
  return {
    isTerminal: text === 'terminal',
    async read(firstByteMs) {
      waited.push(firstByteMs)
      return text === 'silent' ? { text: '', silent: true } : { text, silent: false }
    },
  }
}

async function resolve(more: Partial<ObjectiveRequest>) {
  const found = await resolveObjective({
    flags: { prompt: undefined, promptFile: undefined },
    config: { promptFile: 'PROMPT.md' },
    continued: false,
    cwd,
    stdin: stdin(''),
    note: (text) => notes.push(text),
    ...more,
  })
  return found.ok
    ? found.value
    : { fault: found.error.code, message: found.error.message, hint: found.error.hint }
}

const noFlags = { prompt: undefined, promptFile: undefined }

describe('the objective comes from the first source that has one', () => {
  test('-p outranks stdin, which is not even read', async () => {
    expect(await resolve({ flags: { ...noFlags, prompt: 'flag' }, stdin: stdin('piped') })).toEqual({
      text: 'flag',
      source: '-p',
    })
    expect(waited).toEqual([])
  })

  test('-P names a file, relative to the workspace', async () => {
    writeFileSync(join(cwd, 'task.md'), 'from a file')
    expect(await resolve({ flags: { ...noFlags, promptFile: 'task.md' } })).toEqual({
      text: 'from a file',
      source: '-P',
      path: 'task.md',
    })
  })

  test('-P - is stdin, waited for as long as it takes', async () => {
    expect(await resolve({ flags: { ...noFlags, promptFile: '-' }, stdin: stdin('hi') })).toMatchObject({
      text: 'hi',
      source: '-P',
    })
    expect(waited).toEqual([undefined])
  })

  test('stdin outranks the config', async () => {
    const config = { prompt: 'cfg', promptFile: 'PROMPT.md' }
    expect(await resolve({ config, stdin: stdin('hi\n') })).toEqual({ text: 'hi\n', source: 'stdin' })
  })

  test.each([
    ['an empty stdin', ''],
    ['a blank stdin', ' \n\t\n'],
    ['a terminal', 'terminal'],
  ])('%s counts as not given', async (_, text) => {
    const config = { prompt: 'cfg', promptFile: 'PROMPT.md' }
    expect(await resolve({ config, stdin: stdin(text) })).toEqual({
      text: 'cfg',
      source: 'event_loop.prompt',
    })
  })

  test('event_loop.prompt_file, then PROMPT.md', async () => {
    writeFileSync(join(cwd, 'PROMPT.md'), '日本 👩‍👩‍👧')
    expect(await resolve({})).toEqual({ text: '日本 👩‍👩‍👧', source: 'PROMPT.md', path: 'PROMPT.md' })
    writeFileSync(join(cwd, 'other.md'), 'other')
    expect(await resolve({ config: { promptFile: 'other.md' } })).toEqual({
      text: 'other',
      source: 'event_loop.prompt_file',
      path: 'other.md',
    })
  })

  test('--continue keeps the objective of the run, and stdin or a flag replaces it', async () => {
    writeFileSync(join(cwd, 'PROMPT.md'), 'not this')
    expect(await resolve({ continued: true })).toEqual({ text: '', source: 'kept' })
    expect(await resolve({ continued: true, stdin: stdin('new') })).toEqual({ text: 'new', source: 'stdin' })
    expect(await resolve({ continued: true, flags: { ...noFlags, prompt: 'newer' } })).toMatchObject({
      text: 'newer',
    })
  })
})

describe('a stdin that stays open and silent', () => {
  test('is given up after 3 s where another source serves, with a line that says so', async () => {
    writeFileSync(join(cwd, 'PROMPT.md'), 'X')
    expect(await resolve({ stdin: stdin('silent') })).toMatchObject({ text: 'X', source: 'PROMPT.md' })
    expect(waited).toEqual([3000])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain('3 s')
  })

  test('is given up after 3 s on --continue', async () => {
    expect(await resolve({ continued: true, stdin: stdin('silent') })).toMatchObject({ source: 'kept' })
    expect(waited).toEqual([3000])
  })

  test('is waited for 30 s where it is the only hope, and is then an error', async () => {
    expect(await resolve({ stdin: stdin('silent') })).toMatchObject({
      fault: 'objective_none',
      message: expect.stringContaining('30 s'),
    })
    expect(waited).toEqual([30_000])
  })
})

describe('without an objective', () => {
  test('the error names the sources', async () => {
    const found = await resolve({})
    expect(found).toMatchObject({ fault: 'objective_none' })
    for (const source of ['-p', '-P', 'stdin', 'event_loop.prompt', 'event_loop.prompt_file', 'PROMPT.md']) {
      expect('hint' in found ? found.hint : '').toContain(source)
    }
  })

  test.each([
    ['-p', { flags: { ...noFlags, prompt: '  ' } }],
    ['-P', { flags: { ...noFlags, promptFile: 'blank.md' } }],
    ['-P -', { flags: { ...noFlags, promptFile: '-' } }],
    ['event_loop.prompt', { config: { prompt: '\n', promptFile: 'PROMPT.md' } }],
    ['event_loop.prompt_file', { config: { promptFile: 'blank.md' } }],
  ] as const)('a blank one from %s is an error that names it', async (source, request) => {
    writeFileSync(join(cwd, 'blank.md'), ' \n')
    expect(await resolve(request)).toMatchObject({
      fault: 'objective_blank',
      message: expect.stringContaining(source),
    })
  })

  test('a missing file is an error that names it', async () => {
    expect(await resolve({ flags: { ...noFlags, promptFile: 'gone.md' } })).toMatchObject({
      fault: 'objective_missing',
      message: expect.stringContaining('gone.md'),
    })
    expect(await resolve({ config: { promptFile: 'gone.md' } })).toMatchObject({ fault: 'objective_missing' })
  })

  test('a folder in place of PROMPT.md is an error, not a missing source', async () => {
    mkdirSync(join(cwd, 'PROMPT.md'))
    expect(await resolve({})).toMatchObject({ fault: 'objective_unreadable' })
  })

  test('-p with -P is a usage error', () => {
    expect(() => checkObjectiveFlags({ prompt: 'a', promptFile: 'f' })).toThrow(
      expect.objectContaining({ code: 'usage', exitCode: 2 }),
    )
    expect(() => checkObjectiveFlags({ prompt: 'a', promptFile: undefined })).not.toThrow()
  })
})

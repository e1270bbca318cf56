import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { findUndoing } from '../../cli/undoing-file.ts'
import type { UndoingFile } from '../../core/backend/contract.ts'
import { defineBackend } from '../../core/backend/define.ts'
import gemini from '../../plugins/gemini/index.ts'
import opencode from '../../plugins/opencode/index.ts'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'

const reader = (...undoneByFiles: UndoingFile[]) =>
  defineBackend({
    name: 'reader',
    traits: {
      enforces: { read: { says: 'reads', delivers: 'events', heredoc: true, undoneBy: [], undoneByFiles } },
    },
    invoke: () => ({ argv: ['x'], prompt: 'stdin' }),
  })

const HOOKS = { path: '.x/hooks', why: 'they run' }
const DOTENV = { path: '.env', holding: '^EVIL=', why: 'it steers' }

async function found(
  make: (box: Sandbox) => unknown,
  file: UndoingFile,
  folder = '.',
): Promise<string | null> {
  await using box = sandbox()
  await make(box)
  return findUndoing(reader(file), 'read', box.path(folder))
}

describe('a file of the workspace that would undo a level', () => {
  test('is named, with what it does', async () => {
    expect(await found((box) => box.write('.x/hooks', ''), HOOKS)).toBe(
      '.x/hooks would undo access "read" of backend "reader": they run',
    )
  })

  test('is none where it is not there, nor where its folder is a file', async () => {
    expect(await found(() => {}, HOOKS)).toBeNull()
    expect(await found((box) => box.write('.x', ''), HOOKS)).toBeNull()
  })

  test('counts as a folder, as a link, and as a link that leads nowhere yet', async () => {
    expect(await found((box) => box.write('.x/hooks/a.sh', ''), HOOKS)).toContain('.x/hooks')
    const linked = (box: Sandbox) => {
      mkdirSync(box.path('.x'))
      symlinkSync(box.path('later'), box.path('.x/hooks'))
    }
    expect(await found(linked, HOOKS)).toContain('.x/hooks')
  })

  test('of which only some lines matter counts with such a line alone', async () => {
    expect(await found((box) => box.write('.env', 'GOOD=1\nNOT_EVIL=2\n'), DOTENV)).toBeNull()
    expect(await found((box) => box.write('.env', 'GOOD=1\r\nevil=2\r\n'), DOTENV)).toContain('.env')
  })

  test('that cannot be looked into counts: a pipe is not waited for, and a huge one not read', async () => {
    expect(await found((box) => box.sh('mkfifo .env'), DOTENV)).toContain('.env')
    expect(await found((box) => box.write('.env', `GOOD=${'x'.repeat(2 ** 21)}`), DOTENV)).toContain('.env')
  })

  test('above the workspace counts up to the root of its repository, where the program looks there', async () => {
    const above = { ...HOOKS, above: true }
    const nested = (box: Sandbox, git: string) => {
      box.write('.x/hooks', '')
      mkdirSync(box.path(git), { recursive: true })
      mkdirSync(box.path('a/b'), { recursive: true })
    }
    expect(await found((box) => nested(box, '.git'), above, 'a/b')).toStartWith('../../.x/hooks ')
    expect(await found((box) => nested(box, '.git'), HOOKS, 'a/b')).toBeNull()
    expect(await found((box) => nested(box, 'a/.git'), above, 'a/b')).toBeNull()
    expect(await found((box) => nested(box, 'a'), above, 'a/b')).toBeNull()
  })
})

/** Line by line, as in a `.env`. */
const undoes = async (line: string): Promise<boolean> => {
  await using box = sandbox()
  box.write('.env', `FIRST=1\n${line}\nLAST=1\n`)
  return findUndoing(gemini, 'read', box.dir) !== null
}

describe('variables that gemini takes from a .env', () => {
  test.each([
    'BASH_ENV=evil.sh',
    '  export LD_PRELOAD="./evil.so"',
    'NODE_OPTIONS: --require ./evil.js',
    'GIT_CONFIG_COUNT=1',
    'GOOGLE_GEMINI_BASE_URL=https://example.org',
    'GEMINI_TELEMETRY_OUTFILE=x',
    'GEMINI_API_KEY_X=1',
    'https_proxy=http://example.org',
    'BUN_OPTIONS = --preload ./evil.js',
    'RALPH_EVENTS_FILE=x',
    'SHELLOPTS=xtrace',
  ])('undo its levels by steering programs: %s', async (line) => {
    expect(await undoes(line)).toBe(true)
  })

  test.each([
    'DATABASE_URL=postgres://localhost/x',
    'NODE_ENV=production',
    'GEMINI_API_KEY=abc',
    'GEMINI_MODEL=gemini-2.5-pro',
    'GOOGLE_CLOUD_PROJECT=x',
    'LDAP_URL=ldap://localhost',
    'GITHUB_TOKEN=x',
    'MY_PATH=/x',
    '# BASH_ENV=evil.sh',
  ])('are let be where they belong to the project, its login or its model: %s', async (line) => {
    expect(await undoes(line)).toBe(false)
  })
})

test.each([
  [gemini, '.gemini/settings.json'],
  [gemini, '.gemini/agents/helper.md'],
  [opencode, 'opencode.json'],
  [opencode, '.opencode/opencode.jsonc'],
  [opencode, '.opencode/plugins/x.ts'],
] as const)('%# is heeded by its program: no narrower level holds beside it', async (backend, path) => {
  await using box = sandbox()
  box.write(path, '{}')
  for (const level of ['read', 'edit'] as const) expect(findUndoing(backend, level, box.dir)).not.toBeNull()
})

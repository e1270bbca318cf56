import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finished, type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { configure } from './fixtures.ts'

interface Row {
  readonly check: string
  readonly state: string
  readonly detail: string
  readonly todo?: string
  readonly backend?: {
    readonly found: boolean
    readonly path: string | null
    readonly version: string | null
    readonly commands: readonly string[]
    readonly login: { readonly seems: string; readonly sign: string | null }
    readonly troubles: readonly string[]
    readonly install: string | null
  }
}

const NO_WORD = { RALPH_TRUST: '' }
const SYSTEM = '/usr/bin:/bin'

/** A program outside of the workspace, and the PATH that leads to it. IS_SANDBOX: these tests may run as root. */
function installed(box: Sandbox, name: string, version: string): Record<string, string> {
  box.script(
    `../bin/${name}`,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo '${version}'; exit; fi\nexit 9\n`,
  )
  return { PATH: `${join(dirname(box.home), 'bin')}:${SYSTEM}`, IS_SANDBOX: '1' }
}

const rows = ({ stdout }: Finished): readonly Row[] => JSON.parse(stdout)

async function doctor(box: Sandbox, env: Record<string, string>, args: readonly string[] = []) {
  const done = await box.ralph(['doctor', '--json', ...args], { env })
  const all = rows(done)
  const find = (check: string): Row => {
    const row = all.find((one) => one.check === check)
    if (row === undefined) throw new Error(`no check ${check}: ${done.stdout}`)
    return row
  }
  return { code: done.code, stdout: done.stdout, all, find }
}

describe.concurrent('of a backend', () => {
  test('path, version, call and login are told, by the name of a variable alone', async () => {
    await using box = sandbox()
    const key = 'sk-test-0123456789abcdefghij'
    const env = { ...installed(box, 'claude', '2.1.332 (Claude Code)'), ANTHROPIC_API_KEY: key }
    const { code, stdout, find } = await doctor(box, env)
    expect(code).toBe(0)
    const { state, backend } = find('backend claude')
    expect(state).toBe('ok')
    expect(backend).toMatchObject({
      found: true,
      path: join(dirname(box.home), 'bin/claude'),
      version: '2.1.332 (Claude Code)',
      login: { seems: 'yes', sign: 'ANTHROPIC_API_KEY' },
    })
    expect(backend?.commands).toEqual([expect.stringMatching(/^claude -p --output-format .* < <prompt>$/)])
    expect(stdout).not.toContain(key)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('no sign of a login is a warning that says how to log in, and fails nothing', async () => {
    await using box = sandbox()
    const { code, find } = await doctor(box, installed(box, 'claude', '2.1.332'))
    expect(code).toBe(0)
    expect(find('backend claude')).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('not logged in'),
      todo: expect.stringContaining('/login'),
    })
  })

  test.each([
    ['2.1.197 (Claude Code)', true],
    ['2.1.332 (Claude Code)', false],
  ])('what is known to go wrong with %s is told', async (version, leavesTools) => {
    await using box = sandbox()
    const troubles = (await doctor(box, installed(box, 'claude', version))).find('backend claude').backend
      ?.troubles
    expect(troubles?.some((text) => text.includes('on TERM'))).toBe(leavesTools)
    expect(troubles).not.toBeEmpty()
  })

  test('that is missing, how to get it is told; exit 1 only if the configuration has it play', async () => {
    await using box = sandbox()
    const env = installed(box, 'claude', '2.1.332')
    const other = await doctor(box, env)
    expect([other.code, other.find('backend codex').state]).toEqual([0, 'absent'])
    const needed = await doctor(box, env, ['-c', 'cli.backend=codex'])
    expect(needed.code).toBe(1)
    expect(needed.find('backend codex')).toMatchObject({
      state: 'fail',
      todo: 'npm install -g @openai/codex',
    })
  })

  test('whose `--version` fails cannot run', async () => {
    await using box = sandbox()
    const env = installed(box, 'claude', '2.1.332')
    box.script('../bin/claude', '#!/bin/sh\necho "SyntaxError: needs a newer node" >&2\nexit 1\n')
    const { code, find } = await doctor(box, env)
    expect(code).toBe(1)
    expect(find('backend claude')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('SyntaxError: needs a newer node'),
    })
  })

  test.skipIf(process.getuid?.() !== 0)(
    'that refuses to run as root with full access cannot run',
    async () => {
      await using box = sandbox()
      const env = { ...installed(box, 'claude', '2.1.332'), IS_SANDBOX: '', ANTHROPIC_API_KEY: 'sk-test-1' }
      const full = await doctor(box, env)
      expect(full.code).toBe(1)
      expect(full.find('backend claude')).toMatchObject({
        state: 'fail',
        todo: expect.stringContaining('IS_SANDBOX'),
      })
      expect((await doctor(box, env, ['-c', 'cli.access=read'])).find('backend claude').state).toBe('warn')
    },
  )

  test('the call is the one of the configuration, with its secrets masked', async () => {
    await using box = sandbox()
    configure(box, {
      cli: { model: 'm1', effort: 'low', args: ['--api-key', 'hush-hush'] },
      hats: { a: { name: 'A', description: 'a', triggers: ['a.go'], effort: 'max' } },
    })
    const { stdout, find } = await doctor(box, installed(box, 'claude', '2.1.332'))
    const commands = find('backend claude').backend?.commands ?? []
    expect(commands).toHaveLength(2)
    expect(commands[0]).toContain('--model m1 --effort low ')
    expect(commands[1]).toContain('--model m1 --effort max ')
    expect(commands[0]).toContain('--api-key <secret>')
    expect(stdout).not.toContain('hush-hush')
  })

  test("a plugin's own words are told too", async () => {
    await using box = sandbox()
    box.write(
      '../plugins/mine.ts',
      `export default {
        name: 'mine',
        program: 'mine',
        setup: {
          install: 'get mine',
          login: { variables: ['MINE_KEY'], files: [], how: 'mine login' },
          troubles: [{ versions: '<2', text: 'slow' }, { versions: '>=2', text: 'hasty' }],
        },
        invoke: ({ command = 'mine', args, prompt }) => ({ argv: [command, ...args, prompt], prompt: 'arg' }),
      }`,
    )
    const args = ['--plugins', join(dirname(box.home), 'plugins'), '-c', 'cli.backend=mine']
    const missing = await doctor(box, { PATH: SYSTEM }, args)
    expect(missing.find('backend mine')).toMatchObject({ state: 'fail', todo: 'get mine' })
    const env = { ...installed(box, 'mine', 'mine 1.4.0'), MINE_KEY: 'x' }
    const there = await doctor(box, env, args)
    expect(there.code).toBe(0)
    expect(there.find('backend mine')).toMatchObject({
      state: 'ok',
      backend: { troubles: ['slow'], login: { seems: 'yes', sign: 'MINE_KEY' }, commands: ['mine <prompt>'] },
    })
  })
})

describe.concurrent('a configuration that no run could begin with fails', () => {
  test.each([
    ['an effort that the program has not', ['-c', 'cli.effort=hihg'], 'config', 'knows no effort "hihg"'],
    [
      'an effort where there is none',
      ['-c', 'cli.backend=gemini', '-c', 'cli.effort=high'],
      'config',
      'no setting for effort',
    ],
    [
      'an access that cannot be kept',
      ['-c', 'cli.backend=qwen', '-c', 'cli.access=read'],
      'cast',
      'no way to hold',
    ],
    ['`auto` without any program', ['-c', 'cli.backend=auto'], 'cast', 'tried: claude'],
  ])('%s', async (_, args, check, detail) => {
    await using box = sandbox()
    const { code, find } = await doctor(box, { PATH: SYSTEM }, args)
    expect(code).toBe(1)
    expect(find(check)).toMatchObject({ state: 'fail', detail: expect.stringContaining(detail) })
  })
})

describe.concurrent('nothing of a workspace is started', () => {
  const mark = (box: Sandbox): string => join(dirname(box.home), 'executed')
  const planted = (box: Sandbox, path: string): string =>
    box.script(path, `#!/bin/sh\n: > ${mark(box)}\necho 1.0.0\n`)

  test('not a program that an absolute folder of PATH leads to, nor one behind a link', async () => {
    await using box = sandbox()
    planted(box, 'node_modules/.bin/claude')
    planted(box, 'codex')
    mkdirSync(join(box.home, 'bin'))
    symlinkSync(box.path('codex'), join(box.home, 'bin/codex'))
    const env = { ...NO_WORD, PATH: `${box.path('node_modules/.bin')}:${box.home}/bin:${SYSTEM}` }
    const { find, all } = await doctor(box, env)
    for (const name of ['claude', 'codex']) {
      expect(find(`backend ${name}`).detail).toContain('was not asked its version: it lies in this workspace')
    }
    expect(
      all.some(({ check, detail }) => check === 'PATH' && detail.includes('node_modules/.bin lies in')),
    ).toBe(true)
    await box.ralph(['plugins'], { env })
    await box.ralph(['run', '--dry-run', '-p', 'x'], { env })
    expect(existsSync(mark(box))).toBe(false)
    // Once the user has said so, it is.
    expect((await doctor(box, { ...env, RALPH_TRUST: '1' })).find('backend claude').backend?.version).toBe(
      '1.0.0',
    )
    expect(existsSync(mark(box))).toBe(true)
  })

  test('not by a relative folder of PATH, which is named', async () => {
    await using box = sandbox()
    for (const name of ['claude', 'git', 'sh', 'node']) planted(box, name)
    const { find } = await doctor(box, { ...NO_WORD, PATH: `.::${SYSTEM}` })
    expect(find('PATH')).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('the relative folder .'),
    })
    expect(find('backend claude').backend?.found).toBe(false)
    expect(existsSync(mark(box))).toBe(false)
  })

  test('not a git, nor the interpreter of a program elsewhere, nor what its repository names', async () => {
    await using box = sandbox()
    for (const name of ['git', 'interpreter']) planted(box, `bin/${name}`)
    await box.sh(
      'git init -q && git config core.fsmonitor "$PWD/bin/git" && git config core.pager "$PWD/bin/git"',
    )
    box.script('../bin/claude', '#!/usr/bin/env interpreter\n')
    const PATH = `${box.path('bin')}:${join(dirname(box.home), 'bin')}:${SYSTEM}`
    const { find } = await doctor(box, { ...NO_WORD, PATH })
    expect(find('git').detail).toContain('it lies in this workspace')
    expect(find('backend claude').state).toBe('fail')
    await doctor(box, { ...NO_WORD, PATH: SYSTEM })
    expect(existsSync(mark(box))).toBe(false)
  })
})

test.concurrent('a look at Git when a run begins starts no program that the repository names', async () => {
  await using box = sandbox()
  box.script('watch.sh', `#!/bin/sh\n: > ${join(dirname(box.home), 'executed')}\n`)
  await box.sh('git init -q && git config core.fsmonitor "$PWD/watch.sh"')
  const done = await box.ralph(['run', '-b', 'mock', '-p', 'x', '--max-iterations', '1'])
  expect(done.code, done.stderr).toBe(0)
  expect(existsSync(join(dirname(box.home), 'executed'))).toBe(false)
})

test.concurrent('in a pipe it reads at 80 columns, and ends with a count', async () => {
  await using box = sandbox()
  const { stdout } = await box.ralph(['doctor'], { env: installed(box, 'claude', '2.1.332') })
  const wide = stdout.split('\n').filter((line) => Bun.stringWidth(line) > 80)
  // A word of a command line is not broken.
  expect(wide.filter((line) => line.trim().includes(' '))).toEqual([])
  for (const check of [
    'config',
    'hats',
    'trust',
    'workspace',
    'state folder',
    'disk',
    'open files',
    'file watching',
    'PATH',
    'git',
  ]) {
    expect(stdout).toMatch(new RegExp(`^${check} +(ok|warn) `, 'm'))
  }
  expect(stdout).toMatch(/\n\n(\d+ warnings?|All is well\.)\n$/)
})

test.concurrent('the limit of open files is the one that agents get', async () => {
  await using box = sandbox()
  const done = await box.sh('ulimit -n 150; exec "$RALPH_BIN" doctor --json', {
    env: installed(box, 'claude', '2'),
  })
  expect(rows(done).find(({ check }) => check === 'open files')).toMatchObject({
    state: 'warn',
    detail: '150 (at most 150); 8 agents at once need up to 196',
  })
})

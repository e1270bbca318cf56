import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ExitHost } from '../../../core/backend/load.ts'
import {
  type BuiltinBackend,
  discoverBackends,
  type Registry,
  type Sources,
} from '../../../core/backend/registry.ts'
import type { RalphError } from '../../../core/errors.ts'
import { TASK } from '../../plugins/replay.ts'

const root = mkdtempSync(join(tmpdir(), 'ralph-test-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

// Modules stay loaded for as long as the process lives, so every test has a folder of its own.
let box = root
let boxes = 0
beforeEach(() => {
  boxes += 1
  box = join(root, `${boxes}`)
})

function put(path: string, text: string): string {
  const full = join(box, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, text)
  return full
}

const pluginText = (name: string): string =>
  `import type { BackendPlugin } from 'ralph/plugin'
   const plugin: BackendPlugin = {
     name: '${name}',
     invoke: ({ prompt }) => ({ argv: ['${name}-cli', prompt], prompt: 'arg' }),
   }
   export default plugin`

const builtin: BuiltinBackend = {
  summary: 'a built-in',
  verified: true,
  load: async () => ({ default: { name: 'alpha', invoke: () => ({ argv: ['a'], prompt: 'arg' }) } }),
}

const host: ExitHost = {
  exit: (code) => {
    throw new Error(`the host was left with ${code}`)
  },
}

function registry(more: Partial<Sources> = {}): Registry {
  return discoverBackends({
    executable: join(box, 'bin/ralph'),
    env: {},
    home: join(box, 'home'),
    cwd: box,
    pluginDirs: ['extra'],
    builtins: { alpha: builtin },
    planned: { later: 'it is not written yet' },
    host,
    ...more,
  })
}

async function failure(of: Registry, name: string): Promise<RalphError> {
  const loaded = await of.load(name)
  if (loaded.ok) throw new Error(`${name} was loaded`)
  return loaded.error
}

describe('folders', () => {
  test('are searched beside the program, in the config folder, as told, and as the environment tells', () => {
    put('bin/plugins/one.ts', '')
    put('home/.config/ralph/plugins/two.ts', '')
    put('extra/three.ts', '')
    put('more/four.ts', '')
    const found = registry({ env: { RALPH_PLUGINS_DIR: join(box, 'more') } })
    expect(found.names()).toEqual(['alpha', 'four', 'one', 'three', 'two'])
  })

  test('follow XDG_CONFIG_HOME', () => {
    put('xdg/ralph/plugins/one.ts', '')
    expect(registry({ env: { XDG_CONFIG_HOME: join(box, 'xdg') } }).names()).toEqual(['alpha', 'one'])
  })

  test('that are not there are remarked on only if the user named them', () => {
    expect(registry().remarks()).toEqual([`${join(box, 'extra')}: no such folder`])
    expect(registry({ pluginDirs: [] }).remarks()).toEqual([])
  })
})

describe("the workspace's own folder", () => {
  const mark = (): string => join(box, 'loaded')
  const plugin = (name: string): string =>
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(mark())}, '')\n${pluginText(name)}`

  test('is listed, and not loaded until it is trusted', async () => {
    const path = put('.ralph/plugins/own.ts', plugin('own'))
    const found = registry()
    expect(found.entries()).toContainEqual({ name: 'own', source: 'file', path, ofWorkspace: true })
    expect((await failure(found, 'own')).code).toBe('plugin_untrusted')
    expect((await failure(found.trusting(['another']), 'own')).code).toBe('plugin_untrusted')
    expect(await Bun.file(mark()).exists()).toBe(false)
    expect((await found.trusting(['own']).load('own')).ok).toBe(true)
    expect(await Bun.file(mark()).exists()).toBe(true)
  })

  test('never stands in for what is built in, installed or named by the user', () => {
    const own = ['alpha', 'one', 'two'].map((name) => put(`.ralph/plugins/${name}.ts`, ''))
    const installed = put('home/.config/ralph/plugins/one.ts', '')
    const named = put('extra/two.ts', '')
    const found = registry()
    const entries = found.entries()
    expect(entries.map(({ path }) => path)).toEqual([undefined, installed, named])
    expect(entries.some(({ ofWorkspace }) => ofWorkspace)).toBe(false)
    expect(found.remarks()).toEqual([
      `${own[0]}: not used, a built-in backend has the same name`,
      `${own[1]}: not used, ${installed} has the same name`,
      `${own[2]}: not used, ${named} has the same name`,
    ])
  })

  test('needs no trust where the user names it', async () => {
    put('.ralph/plugins/own.ts', pluginText('own'))
    expect((await registry({ pluginDirs: ['.ralph/plugins'] }).load('own')).ok).toBe(true)
  })

  test('is no home: without one, no folder of the workspace takes its place', () => {
    put('.config/ralph/plugins/own.ts', '')
    expect(registry({ home: null }).names()).toEqual(['alpha'])
  })
})

describe('files', () => {
  test('are <name>.ts, <name>.js, <name>/index.ts and <name>/index.js, and nothing else', () => {
    for (const path of ['a.ts', 'b.js', 'c/index.ts', 'd/index.js']) put(`extra/${path}`, '')
    for (const path of [
      'types.d.ts',
      'a.test.ts',
      'notes.md',
      'lib/tool.ts',
      'node_modules/index.js',
      '.git/index.js',
    ])
      put(`extra/${path}`, '')
    const found = registry()
    expect(found.names()).toEqual(['a', 'alpha', 'b', 'c', 'd'])
    expect(found.remarks()).toEqual([])
  })

  test('with a name that no backend may have are remarked on', () => {
    put('extra/My_Agent.ts', '')
    expect(registry().names()).toEqual(['alpha'])
    expect(registry().remarks()[0]).toContain('My_Agent.ts: "My_Agent" is no name for a backend')
  })

  test('of a name that is taken are remarked on: the first form, the first folder, the built-in wins', () => {
    const first = put('bin/plugins/same.ts', '')
    const second = put('bin/plugins/same/index.js', '')
    const third = put('extra/same.js', '')
    const fourth = put('extra/alpha.ts', '')
    const found = registry()
    expect(found.entries()).toContainEqual({ name: 'same', source: 'file', path: first })
    expect(found.remarks()).toEqual([
      `${second}: not used, ${first} has the same name`,
      `${fourth}: not used, a built-in backend has the same name`,
      `${third}: not used, ${first} has the same name`,
    ])
  })
})

describe('a name', () => {
  test('that is unknown is an error that lists the known ones and the nearest', async () => {
    const error = await failure(registry(), 'aplha')
    expect(error.code).toBe('backend_unknown')
    expect(error.message).toBe('unknown backend "aplha"; known: alpha')
    expect(error.hint).toBe('did you mean "alpha"?')
    expect((await failure(registry(), 'zzz')).hint).toBe('`ralph plugins` lists what is known')
  })

  test('that is planned is an error that says so', async () => {
    const error = await failure(registry(), 'later')
    expect([error.code, error.message]).toEqual([
      'backend_planned',
      'backend "later" is not available yet: it is not written yet',
    ])
  })
})

describe('loading', () => {
  test('completes a plain object that imports only types', async () => {
    put('extra/tiny.ts', pluginText('tiny'))
    const loaded = await registry().load('tiny')
    if (!loaded.ok) throw loaded.error
    expect(loaded.value.invoke({ ...TASK, prompt: 'hi' }).argv).toEqual(['tiny-cli', 'hi'])
    expect(loaded.value.traits.verified).toBe(false)
  })

  test('completes a built-in', async () => {
    const loaded = await registry().load('alpha')
    expect(loaded.ok && loaded.value.invoke(TASK).argv).toEqual(['a'])
  })

  test('touches only the file that is asked for, and once', async () => {
    const mark = join(box, 'loads')
    const noisy = (name: string): string =>
      `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(mark)}, '${name} ')\n${pluginText(name)}`
    put('extra/one.ts', noisy('one'))
    put('extra/two.ts', noisy('two'))
    const found = registry()
    expect(await Bun.file(mark).exists()).toBe(false)
    await Promise.all([found.load('two'), found.load('two')])
    expect(await Bun.file(mark).text()).toBe('two ')
  })

  test.each([
    ['nothing', 'export const x = 1', 'there is no default export'],
    ['a-string', 'export default "agent"', 'the default export must be an object, not "agent"'],
    [
      'no-name',
      'export default { invoke() {} }',
      '"name" must be a word of a-z, 0-9 and -, beginning with a letter, not missing',
    ],
    ['no-invoke', 'export default { name: "no-invoke" }', '"invoke" must be a function, not missing'],
    [
      'bad-open',
      'export default { name: "bad-open", invoke() {}, open: 1 }',
      '"open" must be a function, not 1',
    ],
    [
      'bad-trait',
      'export default { name: "bad-trait", invoke() {}, traits: { output: "json" } }',
      `"traits.output" must be 'text' or 'stream', not "json"`,
    ],
    [
      'bad-shell',
      'export default { name: "bad-shell", invoke() {}, traits: { shell: { heredoc: "no" } } }',
      '"traits.shell.heredoc" must be true or false, not "no"',
    ],
    [
      'bad-effort',
      'export default { name: "bad-effort", invoke() {}, traits: { effort: "high" } }',
      '"traits.effort" must be a list of levels, not "high"',
    ],
    [
      'bad-undoing-path',
      `export default { name: 'bad-undoing-path', invoke() {}, traits: { enforces: { read: {
        says: 's', delivers: 'events', heredoc: true, undoneBy: [], undoneByFiles: [{ path: '../x', why: 'w' }] } } } }`,
      '"traits.enforces.read.undoneByFiles" must be a list of { path, why } with or without above and holding, a regular expression, not a list',
    ],
    [
      'bad-undoing-expression',
      `export default { name: 'bad-undoing-expression', invoke() {}, traits: { enforces: { read: {
        says: 's', delivers: 'events', heredoc: true, undoneBy: [], undoneByFiles: [{ path: 'x', why: 'w', holding: '(' }] } } } }`,
      '"traits.enforces.read.undoneByFiles" must be a list of { path, why } with or without above and holding, a regular expression, not a list',
    ],
    [
      'bad-undoing-why',
      `export default { name: 'bad-undoing-why', invoke() {}, traits: { enforces: { read: {
        says: 's', delivers: 'events', heredoc: true, undoneBy: [], undoneByFiles: [{ path: 'x' }] } } } }`,
      '"traits.enforces.read.undoneByFiles" must be a list of { path, why } with or without above and holding, a regular expression, not a list',
    ],
    [
      'bad-setup',
      'export default { name: "bad-setup", invoke() {}, setup: { troubles: [{ versions: "*" }] } }',
      '"setup.troubles" must be a list of { versions, text }, not a list',
    ],
    [
      'bad-login',
      'export default { name: "bad-login", invoke() {}, setup: { login: { variables: "KEY" } } }',
      '"setup.login.variables" must be a list of names, not "KEY"',
    ],
    [
      'other',
      'export default { name: "another", invoke() {} }',
      '"name" must be "other" like the file, not "another"',
    ],
  ])('of %s names file and field', async (name, text, what) => {
    const path = put(`extra/${name}.ts`, text)
    const error = await failure(registry(), name)
    expect(error.code).toBe('plugin_shape')
    expect(error.message).toBe(`plugin "${name}" (${path}): ${what}`)
  })

  test('of a file that does not parse names line and column', async () => {
    const path = put('extra/syntax.ts', 'const a = 1\nexport default {{\n')
    const error = await failure(registry(), 'syntax')
    expect(error.code).toBe('plugin_broken')
    expect(error.message).toStartWith(`plugin "syntax" (${path}:2:`)
  })

  test('of a file that throws gives its words and keeps the cause', async () => {
    put('extra/throws.ts', 'throw new RangeError("no key for the agent")')
    const error = await failure(registry(), 'throws')
    expect(error.message).toEndWith('throws.ts): no key for the agent')
    expect(error.cause).toBeInstanceOf(RangeError)
  })

  test('of a file that imports what is not there says what', async () => {
    put('extra/lost.ts', `import x from './nowhere.ts'\nexport default x`)
    expect((await failure(registry(), 'lost')).message).toContain('./nowhere.ts')
  })

  test('of a file that never settles ends at the deadline', async () => {
    put('extra/slow/index.ts', 'await new Promise(() => {})\nexport default {}')
    const error = await failure(registry({ deadlineMs: 50 }), 'slow')
    expect(error.code).toBe('plugin_slow')
    expect(error.message).toEndWith('slow/index.ts) did not finish loading within 0.05 s')
  })

  test('of a file that exits the program fails, and the program lives', async () => {
    const { exit } = process
    put('extra/quits.ts', 'process.exit(0)')
    put('extra/quits-too/index.ts', `import './leave.ts'\nexport default {}`)
    put('extra/quits-too/leave.ts', 'process.exit(3)')
    const found = registry({ host: process })
    const [first, second] = await Promise.all([failure(found, 'quits'), failure(found, 'quits-too')])
    expect(first.message).toEndWith('quits.ts): exits the program (code 0) while it loads')
    expect(second.message).toEndWith('quits-too/index.ts): exits the program (code 3) while it loads')
    expect(process.exit).toBe(exit)
  })

  test('does not keep anybody else from exiting', async () => {
    const slow = put('extra/waits.ts', 'await new Promise(() => {})')
    const left: unknown[] = []
    const mine: ExitHost = {
      exit: (code) => {
        left.push(code)
        throw new Error('left')
      },
    }
    const loading = registry({ host: mine, deadlineMs: 50 }).load('waits')
    expect(() => mine.exit(130)).toThrow('left')
    expect(left).toEqual([130])
    expect((await loading).ok).toBe(false)
    expect(slow).toContain('waits')
  })
})

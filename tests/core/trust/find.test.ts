import { describe, expect, test } from 'bun:test'
import type { Executable } from '../../../core/trust/executable.ts'
import { findExecutables, type Search } from '../../../core/trust/find.ts'
import { loaded, type Setup } from '../config/fixture.ts'

/** What the workspace of `setup` would have executed, with its places as `file:line`. */
async function found(setup: Setup, more: Partial<Search> = {}): Promise<readonly unknown[]> {
  let workspace = ''
  const { settings, tree } = await loaded(setup, (box) => {
    workspace = box.dir
  })
  const isInside = (path: string): boolean => path.startsWith(`${workspace}/`)
  return findExecutables({ settings, tree, isInside, plugins: [], backends: null, ...more }).map(shown)
}

function shown(one: Executable): unknown {
  switch (one.kind) {
    case 'program': {
      const call = [one.hat, one.words.join(' '), one.more ? 'and more' : 'exactly']
      return [...call, ...one.places.map(({ origin, line }) => `${origin.label}:${line}`)]
    }
    case 'script':
      return ['script', one.path]
    case 'plugin':
      return ['plugin', one.name]
  }
}

const HAT = '{name: A, description: a, triggers: [x.go]'

describe('a workspace has something executed by', () => {
  test('a command', async () => {
    expect(await found({ yaml: 'cli:\n  backend: custom\n  command: ./a.sh\n  args: [--x]\n' })).toEqual([
      ['', './a.sh --x', 'exactly', 'ralph.yml:3', 'ralph.yml:4'],
    ])
  })

  test('a command in place of the usual program, whose own arguments stay', async () => {
    expect(await found({ yaml: 'cli: {command: ./a.sh}\n' })).toEqual([
      ['', './a.sh', 'and more', 'ralph.yml:1'],
    ])
  })

  test('what stands in front of every agent', async () => {
    expect(await found({ yaml: 'cli: {wrap: [./box.sh, --net]}\n' })).toEqual([
      ['', './box.sh --net', 'exactly', 'ralph.yml:1'],
    ])
    expect(await found({ home: 'cli: {wrap: [bwrap]}\n', yaml: 'cli: {access: read}\n' })).toEqual([])
  })

  test('arguments of a built-in backend', async () => {
    expect(await found({ yaml: 'cli: {args: [--mcp-config, x.json]}\n' })).toEqual([
      ['', 'claude --mcp-config x.json', 'and more', 'ralph.yml:1'],
    ])
  })

  test("a flag before the prompt of the user's own program", async () => {
    const home = 'cli: {backend: custom, command: mine}\n'
    expect(await found({ home, yaml: 'cli: {prompt_flag: --eval}\n' })).toEqual([
      ['', 'mine --eval', 'exactly', 'ralph.yml:1'],
    ])
  })

  test("a hat's own program, with all of its arguments", async () => {
    const backend = 'backend: {command: ./b.sh, args: [-f], prompt_flag: -p}, backend_args: [--z]'
    expect(await found({ yaml: `hats:\n  a: ${HAT}, ${backend}}\n` })).toEqual([
      ['a', './b.sh -f --z -p', 'exactly', 'ralph.yml:2', 'ralph.yml:2', 'ralph.yml:2', 'ralph.yml:2'],
    ])
  })

  test('arguments of a hat, also under their other name and behind those of the global backend', async () => {
    const yaml = `hats:\n  a: ${HAT}, args: [--z]}\n`
    expect(await found({ home: 'cli: {command: mine, args: [--y]}\n', yaml })).toEqual([
      ['a', 'mine --y --z', 'and more', 'ralph.yml:2'],
    ])
  })

  test('the agent of a hat, which is an argument of its program', async () => {
    expect(await found({ yaml: `hats:\n  a: ${HAT}, backend: {type: kiro, agent: r}}\n` })).toEqual([
      ['a', 'kiro --agent r', 'and more', 'ralph.yml:2'],
    ])
  })

  test('an import, also of a file that lies elsewhere', async () => {
    const program = 'name: A\ndescription: a\nbackend: {command: ./b.sh}\n'
    const inside = { yaml: 'hats:\n  a: {import: b.yml}\n', files: { 'b.yml': program } }
    const outside = { yaml: 'hats:\n  a: {import: ../b.yml}\n', files: { '../b.yml': program } }
    expect(await found(inside)).toEqual([['a', './b.sh', 'exactly', 'b.yml:3']])
    expect(await found(outside)).toMatchObject([
      ['a', './b.sh', 'exactly', expect.stringMatching(/b\.yml:3$/)],
    ])
  })

  test('a hat collection', async () => {
    const files = { 'presets/flow.yml': `hats:\n  a: ${HAT}, backend: {command: ./b.sh}}\n` }
    expect(await found({ hats: 'flow', files })).toEqual([['a', './b.sh', 'exactly', 'presets/flow.yml:2']])
  })

  test('the script of the rehearsal, where that may play', async () => {
    const setup = { yaml: 'adapters: {mock: {script: m.yml}}\n' }
    expect(await found(setup)).toEqual([['script', 'm.yml']])
    expect(await found(setup, { backends: new Set(['mock']) })).toEqual([['script', 'm.yml']])
    expect(await found(setup, { backends: new Set(['claude']) })).toEqual([])
  })

  test('a plugin, where that may play', async () => {
    const plugins = [{ name: 'own', path: '/w/.ralph/plugins/own.ts' }]
    expect(await found({}, { plugins })).toEqual([['plugin', 'own']])
    expect(await found({}, { plugins, backends: new Set(['claude']) })).toEqual([])
  })
})

describe('a workspace has nothing executed by', () => {
  test.each<[what: string, setup: Setup]>([
    ['naming a built-in backend and a model', { yaml: 'cli: {backend: codex, model: m}\n' }],
    ['naming one for a hat', { yaml: `hats:\n  a: ${HAT}, backend: codex, model: m}\n` }],
    ['empty lists', { yaml: `cli: {args: []}\nhats:\n  a: ${HAT}, backend_args: []}\n` }],
    ['a key without a value', { yaml: 'cli: {command: }\n' }],
    [
      "what the user's own config says",
      { home: 'cli: {command: mine, args: [x]}\n', yaml: 'cli: {model: m}\n' },
    ],
    ['what a flag says', { configArgs: ['cli.command=./a.sh', 'cli.args=[x]'] }],
    ['what a flag replaces', { yaml: 'cli: {command: ./a.sh}\n', configArgs: ['cli.command=./b.sh'] }],
    ['a config elsewhere', { files: { '../c.yml': 'cli: {command: ./a.sh}\n' }, configArgs: ['../c.yml'] }],
  ])('%s', async (_, setup) => {
    expect(await found(setup)).toEqual([])
  })
})

import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'

describe.concurrent('plugins new', () => {
  test('writes a file that loads, conforms and is found', async () => {
    await using box = sandbox()
    const made = await box.ralph(['plugins', 'new', 'mine'])
    expect(made).toMatchObject({ code: 0, stdout: 'mine.ts\n' })
    expect(box.read('mine.ts')).toContain('ralph plugins check ./mine.ts')
    expect(await box.ralph(['plugins', 'check', 'mine.ts'])).toMatchObject({
      code: 0,
      stdout: 'mine: keeps to all rules\n',
    })
    const listed = await box.ralph(['plugins', '--json', '--plugins', '.'])
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ name: 'mine', source: 'file' }),
    )
  })

  test('gives a plugin that runs its program', async () => {
    await using box = sandbox()
    await box.ralph(['plugins', 'new', 'mine', '--dir', 'backends'])
    box.script('../bin/mine', '#!/bin/sh\ncat > "$0.prompt"\necho "$@" > "$0.args"\necho LOOP_COMPLETE\n')
    const args = ['run', '-p', 'X', '-b', 'mine', '--plugins', 'backends', '--model', 'm', '--', '-x']
    const PATH = `${box.path('..', 'bin')}:${process.env.PATH}`
    expect((await box.ralph(args, { env: { PATH } })).code).toBe(0)
    expect(box.read('../bin/mine.args')).toBe('--model m -x\n')
    expect(box.read('../bin/mine.prompt')).toContain('X')
  })

  test('replaces no file, and takes no name that a plugin cannot have', async () => {
    await using box = sandbox()
    box.write('mine.ts', 'precious')
    expect(await box.ralph(['plugins', 'new', 'mine'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('mine.ts exists already'),
    })
    expect(box.read('mine.ts')).toBe('precious')
    expect((await box.ralph(['plugins', 'new', 'claude'])).stderr).toContain('built-in')
    expect((await box.ralph(['plugins', 'new', '../mine'])).code).toBe(2)
    expect((await box.ralph(['plugins', 'new'])).code).toBe(2)
  })
})

describe.concurrent('plugins check', () => {
  test('names each rule that is broken, with what to do', async () => {
    await using box = sandbox()
    const invoke = `({ prompt }) => ({ argv: ['x', prompt], prompt: 'arg', env: { set: { RALPH_BIN: 'x' } } })`
    box.write(
      'odd/index.ts',
      `export default { name: 'odd', traits: { takesModel: true }, invoke: ${invoke} }`,
    )
    const done = await box.ralph(['plugins', 'check', 'odd'])
    expect(done.code).toBe(1)
    expect(done.stdout).toContain(
      'arguments: a configured command does not replace the program\n  argv: [task.command',
    )
    expect(done.stdout).toContain('model: takesModel is true')
    expect(done.stdout).toContain('environment: RALPH_BIN belongs to ralph')
  })

  test.each([
    ['a syntax error', 'export default {{', /plugin "bad" \(.*bad\.ts:1:\d+\)/],
    ['what it throws', `throw new Error('no luck')`, /plugin "bad".*no luck/],
    ['a missing export', '', /no default export/],
    ['another name', `export default { name: 'good', invoke() {} }`, /"name" must be "bad"/],
  ])('tells %s', async (_, text, what) => {
    await using box = sandbox()
    box.write('bad.ts', text)
    const done = await box.ralph(['plugins', 'check', 'bad.ts'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(what)
  })

  test('says so where there is nothing', async () => {
    await using box = sandbox()
    box.write('empty/readme.md', '')
    for (const path of ['nowhere.ts', 'empty'])
      expect((await box.ralph(['plugins', 'check', path])).stderr).toContain(`there is no plugin at ${path}`)
  })
})

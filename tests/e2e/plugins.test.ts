import { describe, expect, test } from 'bun:test'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FC, hat, onMock, run, rundir, starts } from './fixtures.ts'

/** Three plugins: one that works, one that throws and one that never finishes loading. Loading any of them leaves a file. */
function pluginFolder(box: Sandbox): void {
  const trace = (name: string): string =>
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(box.path(`loaded-${name}`))}, '')\n`
  box.write(
    'more/good.ts',
    `${trace('good')}export default { name: 'good', invoke: () => ({ argv: ['echo', 'LOOP_COMPLETE'], prompt: 'stdin' }) }\n`,
  )
  box.write('more/bad.ts', `${trace('bad')}throw new Error('no luck today')\n`)
  box.write('more/slow/index.ts', `${trace('slow')}await new Promise(() => {})\nexport default {}\n`)
}

describe.concurrent('plugins of a folder', () => {
  test('one that loads plays the hats, and no other is loaded (case 166)', async () => {
    await using box = sandbox()
    pluginFolder(box)
    const done = await run(box, ['--plugins', 'more', '-b', 'good'])
    expect(done.code).toBe(0)
    expect([box.exists('loaded-good'), box.exists('loaded-bad'), box.exists('loaded-slow')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('one that throws is an error that names it and what it threw (case 166)', async () => {
    await using box = sandbox()
    pluginFolder(box)
    const done = await run(box, ['--plugins', 'more', '-b', 'bad'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(/plugin "bad".*no luck today.*other backends: .*claude.*good/)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('one that never finishes loading is given up after ten seconds (case 166)', async () => {
    await using box = sandbox()
    pluginFolder(box)
    const began = performance.now()
    const done = await run(box, ['--plugins', 'more', '-b', 'slow'])
    expect(done.code).toBe(1)
    expect(done.stderr).toMatch(/plugin "slow".*10 s/)
    expect(performance.now() - began).toBeWithin(9_500, 20_000)
  })

  test('`plugins` lists all three, with what is wrong with two of them (case 166)', async () => {
    await using box = sandbox()
    pluginFolder(box)
    const done = await box.ralph(['plugins', '--json', '--plugins', 'more'])
    expect(done.code).toBe(0)
    const rows: { name: string; remarks: string[] }[] = JSON.parse(done.stdout)
    const remarks = Object.fromEntries(rows.map((row) => [row.name, row.remarks.join(' ')]))
    expect(remarks.bad).toContain('no luck today')
    expect(remarks.slow).toContain('10 s')
    expect(remarks.good).toBe('')
  })

  test.each([
    [['emit', 'a.topic', 'x']],
    [['wave', 'emit', 'a.topic', '--payloads', 'x']],
    [['hats', 'list']],
    [['presets', 'list']],
    [['--help']],
  ])('%p loads none (case 166)', async (args) => {
    await using box = sandbox()
    pluginFolder(box)
    const done = await box.ralph(args, { env: { RALPH_PLUGINS_DIR: box.path('more') } })
    expect(done.code).toBe(0)
    expect(['good', 'bad', 'slow'].filter((name) => box.exists(`loaded-${name}`))).toEqual([])
  })
})

describe.concurrent('a model', () => {
  test('goes into the command line: the flag above cli.model, the hat above both (case 168)', async () => {
    await using box = sandbox()
    const hats = {
      a: hat('a', { triggers: ['work.start'], publishes: ['b.go'] }),
      b: hat('b', { triggers: ['b.go'], publishes: ['LOOP_COMPLETE'], model: 'm3' }),
    }
    const event_loop = { starting_event: 'work.start' }
    configure(box, { cli: { backend: 'claude', model: 'm1' }, event_loop, hats })
    const plain = await run(box, ['--dry-run'])
    const flagged = await run(box, ['--dry-run', '--model', 'm2'])
    expect([plain.code, flagged.code]).toEqual([0, 0])
    const models = (text: string): string[] =>
      [...text.matchAll(/--model (\S+)/g)].map((match) => match[1] ?? '')
    expect(new Set(models(plain.stdout))).toEqual(new Set(['m1', 'm3']))
    expect(new Set(models(flagged.stdout))).toEqual(new Set(['m2', 'm3']))
  })

  test('for a program that takes none is a fault, for a hat too (case 168)', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F({ cli: { model: 'm' } }))
    const global = await run(box)
    configure(box, FC({ hats: { b: { model: 'm' } } }))
    const ofHat = await run(box)
    expect([global.code, ofHat.code, starts(box)]).toEqual([1, 1, 0])
    expect(global.stderr).toContain('cli.model')
    expect(ofHat.stderr).toContain('hats.b.model')
  })
})

test.concurrent('the mock plays what its script says, and its ledger has a line for each start and each end (case 170)', async () => {
  await using box = sandbox()
  configure(box, onMock(FC()))
  box.write(
    'm.yml',
    `hats:
  a:
    - run: echo by-a >> played
    - emit: { topic: b.go, payload: one }
  b:
    - run: echo "by-b of $PAYLOAD" >> played
    - emit: { topic: LOOP_COMPLETE, payload: "done with {payload}" }
`,
  )
  expect(await run(box)).toMatchObject({ code: 0, stdout: 'done with one\n' })
  expect(box.read('played')).toBe('by-a\nby-b of one\n')
  const ledger = box.rows(rundir(box, 'mock-ledger.jsonl'))
  expect(ledger.map(({ event, hats, exit }) => [event, hats, exit])).toEqual([
    ['start', ['a'], null],
    ['end', ['a'], 0],
    ['start', ['b'], null],
    ['end', ['b'], 0],
  ])
})

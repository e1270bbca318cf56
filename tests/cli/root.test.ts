import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'

describe('the command line as a whole', () => {
  test.concurrent.each([
    [['--version'], /^ralph \S+\n$/],
    [['run', '-V'], /^ralph \S+\n$/],
    [['version'], /^ralph \S+\n$/],
    [['--help'], /^ralph — .*\n\n {2}ralph run -p/],
    [['-c', 'a.yml', '--help'], /^ralph — /],
    [['run', '--help'], /^ralph run — .*\n\n {2}ralph run -p/],
    [['-p', 'x', '--help'], /^ralph run — /],
    [['wave', '--help'], /^ralph wave — /],
    [['wave', 'emit', '--help'], /^ralph wave emit — /],
    [['emit', '-h'], /^ralph emit — /],
    [['wave', 'run', '-h'], /^ralph wave run — /],
    [['hats', 'list', '--help'], /^ralph hats list — /],
  ])('%p prints on stdout, and nothing on stderr', async (args, wanted) => {
    await using box = sandbox()
    const done = await box.ralph(args)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(wanted)
  })

  test.concurrent.each([
    [['rum'], /did you mean `ralph run`/],
    [['wave'], /emit, run/],
    [['wave', 'emti'], /did you mean `ralph wave emit`/],
    [['tools', 'task', 'list'], /`ralph tools` is not available/],
    [['loops'], /not available/],
    [['run', '--bogus'], /unknown flag --bogus/],
    [['run', '-p'], /--prompt needs a value/],
    [['-p', 'a', '-P', 'f'], /exclude each other/],
    [['run', '-p', 'x', '--rpc'], /--json/],
    [['run', '-p', 'x', '--record-session', 'f'], /--json/],
    [['run', '-p', 'x', '--max-iterations', 'many'], /--max-iterations must be an integer/],
    [['run', '-p', 'x', '--loop-id', 'r'], /--continue/],
    [['run', '--color', 'blue'], /auto, always, never/],
    [['wave', 'run', '-j', '0'], /--jobs must be an integer from 1/],
    [['hats', 'list', '--format', 'ascii'], /table, json/],
  ])('%p is a usage error', async (args, wanted) => {
    await using box = sandbox()
    const done = await box.ralph(args)
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toMatch(wanted)
  })

  test('what follows -- is data: --help there shows no page', async () => {
    await using box = sandbox()
    const done = await box.ralph(['run', '--dry-run', '-p', 'x', '-b', 'mock', '--', '--help'])
    expect(done.code).toBe(0)
    expect(done.stdout).toContain('ralph mock-agent --help')
  })

  test('pages have colours only where they are asked for, and NO_COLOR wins', async () => {
    await using box = sandbox()
    expect((await box.ralph(['--help'])).stdout).not.toContain('\x1b')
    expect((await box.ralph(['--help', '--color', 'always'])).stdout).toContain('\x1b')
    const env = { NO_COLOR: '1' }
    expect((await box.ralph(['--help', '--color', 'always'], { env })).stdout).not.toContain('\x1b')
  })
})

describe.concurrent('a first try', () => {
  test('ralph help gives the pages of --help', async () => {
    await using box = sandbox()
    const page = async (...words: string[]) => (await box.ralph(words)).stdout
    expect(await page('help')).toBe(await page('--help'))
    expect(await page('help', 'wave', 'run')).toBe(await page('wave', 'run', '--help'))
    expect((await box.ralph(['hlep'])).stderr).toContain('did you mean `ralph help`?')
  })

  test('an objective without -p says where it belongs', async () => {
    await using box = sandbox()
    for (const words of [['fix the tests'], ['run', 'fix the tests']]) {
      const { code, stderr } = await box.ralph(words)
      expect({ code, told: stderr.includes('-p') }).toEqual({ code: 2, told: true })
    }
  })
})

describe('ralph run before it starts anything', () => {
  test('a dry run shows the plan on stdout and creates nothing', async () => {
    await using box = sandbox()
    const done = await box.ralph(['run', '--dry-run', '-p', 'x', '-b', 'claude'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toContain('100 iterations')
    expect(done.stdout).toContain('LOOP_COMPLETE')
    expect(done.stdout).toContain('claude -p')
    expect(box.exists('.ralph')).toBe(false)
  })

  test('without a subcommand it acts as run', async () => {
    await using box = sandbox()
    const done = await box.ralph(['-p', 'x', '-b', 'claude', '--dry-run'])
    expect(done.code).toBe(0)
    expect(done.stdout).toContain('x (from -p)')
  })

  test('without an objective it names the sources and leaves nothing behind', async () => {
    await using box = sandbox()
    const done = await box.ralph(['run', '-b', 'mock'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toContain('PROMPT.md')
    expect(box.exists('.ralph')).toBe(false)
  })

  test('flags that ask for what happens anyway are taken, those without effect warn', async () => {
    await using box = sandbox()
    const args = ['run', '--dry-run', '-p', 'x', '--no-tui', '-a', '--skip-preflight', '--no-auto-merge']
    expect(await box.ralph(args)).toMatchObject({ code: 0, stderr: '' })
    const done = await box.ralph([...args, '--idle-timeout', '3', '--legacy-tui'])
    expect(done.code).toBe(0)
    expect(done.stderr.match(/accepted for compatibility, has no effect here/g)).toHaveLength(2)
  })
})

describe('lists', () => {
  const hats = 'hats: {a: {name: A, description: D, triggers: [x.go], publishes: [y.go], instructions: I}}\n'

  test('hats, as JSON and as a table', async () => {
    await using box = sandbox()
    box.write('f.yml', hats)
    const wanted = [
      {
        id: 'a',
        name: 'A',
        description: 'D',
        subscriptions: ['x.go'],
        publishes: ['y.go'],
        instructions: 'I',
      },
    ]
    for (const flag of [['--json'], ['--format', 'json']]) {
      expect(JSON.parse((await box.ralph(['hats', 'list', '-c', 'f.yml', ...flag])).stdout)).toEqual(wanted)
    }
    expect((await box.ralph(['-c', 'f.yml', 'hats'])).stdout).toBe(
      'id  name  subscriptions  publishes  description\na   A     x.go           y.go       D\n',
    )
  })

  test('hats validate: a starting event without a receiver is a fault, a topic for the coordinator is not', async () => {
    await using box = sandbox()
    box.write('f.yml', hats)
    const fine = await box.ralph(['hats', 'validate', '-c', 'f.yml'])
    expect(fine.code).toBe(0)
    expect(fine.stdout).toContain('a: y.go goes to the coordinator')
    const lost = await box.ralph(['hats', 'validate', '-c', 'f.yml', '-c', 'event_loop.starting_event=z.go'])
    expect(lost.code).toBe(1)
    expect(lost.stderr).toContain('z.go')
    expect((await box.ralph(['hats', 'validate'])).code).toBe(0)
  })

  test('hats validate: a topic that is close to one that nobody publishes may be a misspelling', async () => {
    await using box = sandbox()
    const more = ', b: {name: B, description: D, triggers: [why.go]}}'
    box.write('f.yml', hats.replace('y.go', 'yhy.go').replace(/\}\n$/, more))
    const { stdout } = await box.ralph(['hats', 'validate', '-c', 'f.yml'])
    expect(stdout).toContain('a: yhy.go goes to the coordinator; did you mean why.go?')
    const lost = await box.ralph(['hats', 'validate', '-c', 'f.yml', '-c', 'event_loop.starting_event=x.og'])
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean x.go?') })
  })

  test('presets: built-in ones, and those of the folders, the first of a name', async () => {
    await using box = sandbox()
    box.write('presets/flow.yml', `description: mine\n${hats}`)
    box.write('more/flow.yaml', 'description: not this\n')
    box.write('more/other.yaml', ': broken: {')
    const env = { RALPH_PRESETS_DIR: box.path('more') }
    const rows = JSON.parse((await box.ralph(['presets', '--json'], { env })).stdout)
    expect(rows).toContainEqual(
      expect.objectContaining({ name: 'wave-review', source: 'builtin', path: null }),
    )
    expect(rows.filter((row: { source: string }) => row.source === 'file')).toEqual([
      {
        name: 'flow',
        path: box.path('presets/flow.yml'),
        source: 'file',
        format: 'yaml',
        description: 'mine',
      },
      { name: 'other', path: box.path('more/other.yaml'), source: 'file', format: 'yaml', description: '' },
    ])
  })

  test('plugins: what is there, what is not, and why a broken one is not used', async () => {
    await using box = sandbox()
    box.write(
      'more/good.ts',
      "export default { name: 'good', invoke: () => ({ argv: ['true'], prompt: 'arg' }) }\n",
    )
    box.write('more/bad.ts', "throw new Error('no luck')\n")
    const done = await box.ralph(['plugins', '--json', '--plugins', 'more'])
    expect(done.code).toBe(0)
    const rows = new Map(JSON.parse(done.stdout).map((row: { name: string }) => [row.name, row]))
    expect(rows.get('mock')).toMatchObject({ source: 'builtin', found: true, verified: true })
    expect(rows.get('claude')).toMatchObject({ source: 'builtin', program: 'claude' })
    expect(rows.get('good')).toMatchObject({ source: 'file', verified: false })
    expect(rows.get('bad')).toMatchObject({ found: false, remarks: [expect.stringContaining('no luck')] })
  })
})

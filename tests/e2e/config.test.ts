import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { agentScript, type Config, configure, F, FC, hat, prompt, run, starts } from './fixtures.ts'

const dryRun = (box: Sandbox, ...args: string[]) => box.ralph(['run', '--dry-run', '-p', 'x', ...args])

/** The ids of `hats list`, in order. */
async function hatIds(box: Sandbox, ...args: string[]): Promise<string[]> {
  const done = await box.ralph(['hats', 'list', '--format', 'json', ...args])
  return JSON.parse(done.stdout).map((row: { id: string }) => row.id)
}

const oneHat = (id: string): Config => ({
  hats: { [id]: hat(id, { triggers: [`${id}.go`], publishes: ['LOOP_COMPLETE'] }) },
})

/** Configures, runs, and expects a config error: nothing is started, and nothing is made. */
async function refused(config: Config | string, args: readonly string[] = []): Promise<string> {
  await using box = sandbox()
  if (typeof config === 'string') box.write('ralph.yml', config)
  else configure(box, config)
  agentScript(box, 'SAY LOOP_COMPLETE')
  const done = await run(box, args)
  expect(done).toMatchObject({ code: 1, stdout: '' })
  expect(starts(box)).toBe(0)
  expect(box.exists('.ralph')).toBe(false)
  return done.stderr
}

describe('layers', () => {
  test.concurrent('without ralph.yml the defaults hold, without a word (case 1)', async () => {
    await using box = sandbox()
    const done = await dryRun(box, '-b', 'claude')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toContain('100 iterations')
    expect(done.stdout).toContain('LOOP_COMPLETE')
    expect(box.exists('.ralph')).toBe(false)
  })

  test.concurrent('the user’s own config counts, and ralph.yml wins over it (case 2)', async () => {
    await using box = sandbox()
    box.write('../home/.ralph/config.yml', 'event_loop: {max_iterations: 7}\n')
    expect((await dryRun(box)).stdout).toContain(' 7 iterations')
    box.write('ralph.yml', 'event_loop: {max_iterations: 9}\n')
    expect((await dryRun(box)).stdout).toContain(' 9 iterations')
  })

  test.concurrent('one file may hold everything, hats too (case 3)', async () => {
    await using box = sandbox()
    configure(box, FC(), 'f.yml')
    expect((await dryRun(box, '-c', 'f.yml')).code).toBe(0)
    const done = await box.ralph(['hats', 'list', '--format', 'json', '-c', 'f.yml'])
    expect(JSON.parse(done.stdout)[0]).toEqual({
      id: 'a',
      name: 'a',
      description: 'what a does',
      subscriptions: ['work.start'],
      publishes: ['b.go'],
      instructions: 'You are hat a.',
    })
  })

  test.concurrent('the hats of -H replace those of -c (case 4)', async () => {
    await using box = sandbox()
    configure(box, oneHat('A'), 'main.yml')
    configure(box, oneHat('B'), 'hats.yml')
    expect(await hatIds(box, '-c', 'main.yml', '-H', 'hats.yml')).toEqual(['B'])
  })

  test.concurrent('a collection has a say in the promise, and none in limits, which is said (case 5)', async () => {
    await using box = sandbox()
    configure(box, { event_loop: { max_iterations: 12 } })
    configure(
      box,
      { ...oneHat('B'), event_loop: { completion_promise: 'DONE', max_iterations: 150 } },
      'h.yml',
    )
    const done = await dryRun(box, '-H', 'h.yml')
    expect(done.stdout).toMatch(/promise +DONE/)
    expect(done.stdout).toContain(' 12 iterations')
    expect(done.stderr).toContain('max_iterations')
  })

  test.concurrent('required_events of a collection bind (case 6)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_iterations: 2 } }))
    configure(box, { ...oneHat('B'), event_loop: { required_events: ['needed.a'] } }, 'h.yml')
    agentScript(box, 'EMIT LOOP_COMPLETE')
    expect((await run(box, ['-H', 'h.yml'])).code).toBe(2)
    expect(prompt(box, 2)).toContain('needed.a')
  })

  test.concurrent('-c takes a file and single keys, alone or together (case 7)', async () => {
    await using box = sandbox()
    configure(box, {}, 'm.yml')
    configure(box, oneHat('B'), 'h.yml')
    const both = await dryRun(box, '-c', 'm.yml', '-H', 'h.yml', '-c', 'core.specs_dir=./x/')
    expect(both.stdout).toMatch(/specs +\.\/x\//)
    box.write('ralph.yml', 'event_loop: {max_iterations: 8}\n')
    const key = await dryRun(box, '-c', 'core.scratchpad=.c/s.md')
    expect(key.stdout).toContain(' 8 iterations')
    expect(key.stdout).toMatch(/scratchpad +\.c\/s\.md/)
  })

  test.concurrent('-c KEY=VALUE is checked like the rest (case 8)', async () => {
    await using box = sandbox()
    expect((await dryRun(box, '-c', 'event_loop.max_iterations=5')).stdout).toContain(' 5 iterations')
    const unknown = await dryRun(box, '-c', 'core.specs_dirs=1')
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('specs_dir"') })
    const wrong = await dryRun(box, '-c', 'event_loop.max_iterations=many')
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('event_loop.max_iterations') })
  })

  test.concurrent('names that lead nowhere are errors that lead on (case 9)', async () => {
    await using box = sandbox()
    expect(await dryRun(box, '-c', 'builtin:x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('-H builtin:x'),
    })
    expect(await dryRun(box, '-H', 'builtin:nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('wave-review'),
    })
    expect(await dryRun(box, '-H', 'nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nope'),
    })
  })

  test.concurrent('a bare -H name is looked up in ./presets, as a file (case 10)', async () => {
    await using box = sandbox()
    configure(box, oneHat('B'), 'presets/flow.yml')
    configure(box, oneHat('C'), 'presets/flow2.yaml')
    mkdirSync(box.path('flow'))
    mkdirSync(box.path('presets/flow3'))
    expect(await hatIds(box, '-H', 'flow')).toEqual(['B'])
    expect((await dryRun(box, '-H', 'flow')).code).toBe(0)
    expect((await dryRun(box, '-H', 'flow2')).code).toBe(0)
    const folder = await dryRun(box, '-H', 'flow3')
    expect(folder).toMatchObject({ code: 1, stderr: expect.stringContaining('flow3') })
  })

  test.concurrent('a hat may import another file; local keys win (case 11)', async () => {
    await using box = sandbox()
    const shared = join('..', 'shared', 'b.yml')
    configure(box, hat('imported', { triggers: ['b.go'], instructions: 'shared words' }), shared)
    configure(box, { hats: { b: { import: '../shared/b.yml', name: 'Local' } } })
    const listed = await box.ralph(['hats', 'list', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'Local', instructions: 'shared words' }])

    configure(box, { import: 'c.yml' }, shared)
    expect(await dryRun(box)).toMatchObject({ code: 1, stderr: expect.stringContaining('import') })
    configure(box, { hats: { b: { import: '../shared/none.yml' } } })
    const missing = await dryRun(box)
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(/\bb\b.*none\.yml/)
  })

  test.concurrent('a config that is asked for must be there (case 162)', async () => {
    await using box = sandbox()
    const flag = await dryRun(box, '-c', 'missing.yml')
    expect(flag).toMatchObject({ code: 1, stderr: expect.stringContaining('missing.yml') })
    const env = { RALPH_CONFIG: 'missing.yml' }
    const variable = await box.ralph(['run', '--dry-run', '-p', 'x'], { env })
    expect(variable).toMatchObject({ code: 1, stderr: expect.stringContaining('missing.yml') })
  })
})

describe('what is refused', () => {
  test.concurrent('a trigger of two hats, and the loop’s own start topics (case 12)', async () => {
    const shared = await refused(FC({ hats: { z: hat('z', { triggers: ['b.go'] }) } }))
    expect(shared).toMatch(/"b".*"z"/)
    expect(await refused(F({ hats: { a: hat('a', { triggers: ['task.start'] }) } }))).toContain('task.start')
  })

  test.concurrent('but a pattern over the start topics gets the start event (case 12)', async () => {
    await using box = sandbox()
    configure(box, F({ hats: { a: hat('a', { triggers: ['task.*'], publishes: ['LOOP_COMPLETE'] }) } }))
    agentScript(box, 'EMIT LOOP_COMPLETE')
    expect((await run(box)).code).toBe(0)
    expect(prompt(box, 1)).toContain('You are hat a.')
  })

  test.concurrent.each<[string, Config]>([
    ['custom without a command', { cli: { backend: 'custom' } }],
    ['a blank promise', F({ event_loop: { completion_promise: ' ' } })],
    ['two objectives', F({ event_loop: { prompt: 'a', prompt_file: 'other.md' } })],
  ])('%s (case 14)', async (_, config) => {
    await using box = sandbox()
    configure(box, config)
    agentScript(box, 'SAY LOOP_COMPLETE')
    expect(await box.ralph(['run'])).toMatchObject({ code: 1, stdout: '' })
    expect(starts(box)).toBe(0)
  })

  test.concurrent.each([
    ['event_loop:\n  max_iteration: 3\n', 'ralph.yml:2:3: event_loop.max_iteration: ', '"max_iterations"'],
    ['hats:\n  a:\n    name: A\n    trigers: [x]\n', 'ralph.yml:4:5: hats.a.trigers: ', '"triggers"'],
    [
      'hats:\n  a:\n    name: A\n    aggregate:\n      mode: wait_for_all\n      timeouts: 3\n',
      'ralph.yml:6:7: hats.a.aggregate.timeouts: ',
      '"timeout"',
    ],
  ])(
    'an unknown key at any level, with its place and the nearest one (case 15): %j',
    async (yaml, place, key) => {
      const stderr = await refused(yaml)
      expect(stderr).toContain(place)
      expect(stderr).toContain(key)
    },
  )

  test.concurrent('three mistakes at once, each with its line (case 16)', async () => {
    const stderr = await refused(
      'cli: {backend: custom, command: ./agent.sh}\nevent_loop:\n  max_iterations: many\n  persistent: 3\ncore: {foo: 1}\n',
    )
    expect(stderr).toContain('ralph.yml:3:')
    expect(stderr).toContain('ralph.yml:4:')
    expect(stderr).toContain('ralph.yml:5:')
  })

  test.concurrent('project, which was renamed (case 19)', async () => {
    expect(await refused({ project: {} })).toContain('core')
  })

  test.concurrent('backends that nobody knows, anywhere, and a mode that is none (case 20)', async () => {
    const flag = await refused({}, ['-b', 'clade'])
    expect(flag).toContain('clade')
    expect(flag).toMatch(/known: .*claude/)
    expect(await refused(FC({ hats: { b: { backend: 'nope' } } }))).toMatch(/hats\.b\.backend.*nope/)
    expect(await refused(F({ cli: { prompt_mode: 'pipe' } }))).toContain('cli.prompt_mode')
  })

  test.concurrent.each([
    ['hats:\n  "a b": {name: A}\n', 'hats.a b'],
    ['hats:\n  ../x: {name: A}\n', 'hats.../x'],
    [`hats:\n  ${'h'.repeat(65)}: {name: A}\n`, `hats.${'h'.repeat(65)}`],
    ['hats:\n  a: {name: A, publishes: ["a b"]}\n', 'hats.a.publishes'],
    ['event_loop:\n  max_iterations: 2147483648\n', 'event_loop.max_iterations'],
  ])('a hat id, topic or count against its rule (case 163): %j', async (yaml, path) => {
    const stderr = await refused(yaml)
    expect(stderr).toContain('ralph.yml:2:')
    expect(stderr).toContain(path)
  })
})

describe('what is only said', () => {
  test.concurrent('a hat without description (case 13)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { b: { description: ' ' } } }))
    agentScript(box, 'SAY LOOP_COMPLETE')
    const done = await run(box)
    expect(done.code).toBe(0)
    expect(done.stderr).toMatch(/hats\.b\.description.*"b"/)
  })

  const INERT: Config = {
    RObot: { enabled: true },
    hooks: { enabled: true },
    memories: { enabled: true },
    tasks: { enabled: true },
    skills: { enabled: true },
    tui: { prefix_key: 'ctrl-a' },
    features: { parallel: true },
    adapters: { claude: { tool_permissions: ['x'] } },
  }

  test.concurrent('keys of v2.10 that have no effect here, by name (case 17)', async () => {
    await using box = sandbox()
    configure(box, F(INERT))
    agentScript(box, 'SAY LOOP_COMPLETE')
    const done = await run(box)
    expect(done.code).toBe(0)
    const said = done.stderr.split('\n').filter((line) => line.includes('has no effect here'))
    expect(said.every((line) => line.includes('accepted for compatibility, has no effect here'))).toBe(true)
    for (const name of [...Object.keys(INERT), 'parallel', 'tool_permissions']) {
      expect(said.some((line) => line.includes(name))).toBe(true)
    }
  })

  test.concurrent('but typing errors inside them are found (case 17)', async () => {
    expect(await refused(F({ hooks: { enabeld: true } }))).toContain('hooks.enabeld')
  })

  test.concurrent('_suppress_warnings hides warnings, not errors (case 18)', async () => {
    await using box = sandbox()
    const quiet = { ...INERT, _suppress_warnings: true }
    configure(box, F(quiet))
    expect(await dryRun(box)).toMatchObject({ code: 0, stderr: '' })
    configure(box, F({ ...quiet, event_lop: {} }))
    expect(await dryRun(box)).toMatchObject({ code: 1, stderr: expect.stringContaining('event_lop') })
  })
})

test.concurrent('a v1 key wins over the nested one (case 19)', async () => {
  await using box = sandbox()
  configure(box, { max_iterations: 5, event_loop: { max_iterations: 50 } })
  expect((await dryRun(box)).stdout).toContain(' 5 iterations')
})

test.concurrent('short and long forms say the same (case 21)', async () => {
  await using box = sandbox()
  const shown = async (more: Config): Promise<string> => {
    configure(box, FC(more))
    return (await dryRun(box)).stdout
  }
  const args = await shown({ hats: { b: { args: ['q'] } } })
  expect(args).toMatch(/ b +\.\/agent\.sh q/)
  expect(await shown({ hats: { b: { backend_args: ['q'] } } })).toBe(args)
  const pad = await shown({ core: { scratchpad: 'p.md' } })
  expect(pad).toMatch(/scratchpad +p\.md/)
  expect(await shown({ core: { scratchpad: { enabled: true, path: 'p.md' } } })).toBe(pad)
})

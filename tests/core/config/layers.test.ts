import { describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import { faults, loaded } from './fixture.ts'

describe('without any file', () => {
  test('the documented defaults hold, and nothing is created', async () => {
    const { settings, warnings, mainFile, files } = await loaded({}, (box) => {
      expect(box.exists('.ralph')).toBe(false)
    })
    expect(warnings).toEqual([])
    expect(mainFile).toBeNull()
    expect(files).toEqual([])
    expect(settings.core.guardrails.length).toBeGreaterThan(0)
    expect({ ...settings, core: { ...settings.core, guardrails: [] } }).toEqual({
      eventLoop: {
        promptFile: 'PROMPT.md',
        completionPromise: 'LOOP_COMPLETE',
        maxIterations: 100,
        maxRuntimeSeconds: 14_400,
        maxConsecutiveFailures: 5,
        maxSilentIterations: 3,
        cooldownDelaySeconds: 0,
        requiredEvents: [],
        persistent: false,
        enforceHatScope: false,
      },
      cli: {
        backend: 'claude',
        args: [],
        promptMode: 'arg',
        wrap: [],
        env: 'inherit',
        agentPriority: [],
      },
      core: {
        scratchpad: { enabled: true, path: '.ralph/agent/scratchpad.md' },
        specsDir: '.ralph/specs/',
        guardrails: [],
        guardrailsAreSet: false,
      },
      adapters: {},
      features: {
        maxConcurrency: 8,
        maxWaveItems: 100,
        strays: 'wave',
        retry: { attempts: 3, on: ['rate_limit', 'overload', 'network', 'locked'], backoffSeconds: 10 },
        maxAgents: 1000,
        maxDepth: 2,
        exitGraceSeconds: 15,
        emitGraceSeconds: 120,
      },
      hats: [],
      events: {},
      verbose: false,
    })
  })
})

describe('layers', () => {
  const iterations = async (setup: Parameters<typeof loaded>[0]) =>
    (await loaded(setup)).settings.eventLoop.maxIterations

  const yaml = 'event_loop: {max_iterations: 9}'
  const home = 'event_loop: {max_iterations: 7}'
  const flat = 'max_iterations: 5\nevent_loop: {max_iterations: 50}'
  test.each([
    ['the file in the home folder counts', { home }, 7],
    ['the main file is above it', { home, yaml }, 9],
    ['a v1 key beats its nested place', { yaml: flat }, 5],
    [
      'a v1 key of the home folder beats the nested one of the main file',
      { home: 'max_iterations: 3', yaml },
      3,
    ],
    ['-c key=value is above the files', { yaml: flat, configArgs: ['event_loop.max_iterations=6'] }, 6],
    [
      'of two overrides the last counts',
      { configArgs: ['max_iterations=6', 'event_loop.max_iterations=8'] },
      8,
    ],
    [
      'flags are above everything',
      { yaml, configArgs: ['max_iterations=6'], flags: { maxIterations: 2 } },
      2,
    ],
    ['a key set to nothing is not set', { yaml: 'event_loop: {max_iterations: }' }, 100],
    ['a section set to nothing takes nothing away', { home, yaml: 'event_loop:' }, 7],
  ])('%s', async (_, setup, expected) => {
    expect(await iterations(setup)).toBe(expected)
  })

  test.each([
    ['HOME', { HOME: 'h', USERPROFILE: 'other' }],
    ['USERPROFILE without HOME', { HOME: '', USERPROFILE: 'h', HOMEDRIVE: 'o', HOMEPATH: 'ther' }],
    ['HOMEDRIVE and HOMEPATH without both', { HOME: '', HOMEDRIVE: './', HOMEPATH: 'h' }],
  ])('home is %s', async (_, env) => {
    const files = { 'h/.ralph/config.yml': home }
    expect(await iterations({ files, env })).toBe(7)
  })

  test('maps merge key by key, lists and scalars are replaced whole', async () => {
    const { settings } = await loaded({
      home: 'core: {guardrails: [a, b], specs_dir: ./h/}\nadapters: {claude: {timeout: 5, enabled: false}}',
      yaml: 'core: {guardrails: [c]}\nadapters: {claude: {timeout: 6}}',
    })
    expect(settings.core.guardrails).toEqual(['c'])
    expect(settings.core.specsDir).toBe('./h/')
    expect(settings.adapters.claude).toEqual({ timeoutSeconds: 6, enabled: false })
  })

  test('all v1 keys find their place', async () => {
    const { settings } = await loaded({
      yaml: `
agent: codex
prompt_file: p.md
completion_promise: DONE
max_iterations: 1
max_runtime: 2
max_cost: 0.5
agent_priority: [codex, claude]
adapters: {codex: {price: {input: 1, output: 10}}}
`,
    })
    expect(settings.cli.backend).toBe('codex')
    expect(settings.cli.agentPriority).toEqual(['codex', 'claude'])
    expect(settings.eventLoop).toMatchObject({
      promptFile: 'p.md',
      completionPromise: 'DONE',
      maxIterations: 1,
      maxRuntimeSeconds: 2,
      maxCostUsd: 0.5,
    })
    expect(settings.adapters.codex?.price).toEqual({ input: 1, output: 10, cachedInput: 1 })
  })

  test('every flag has its key', async () => {
    const { settings } = await loaded({
      flags: { prompt: 'do it', backend: 'codex', model: 'm', maxIterations: 4, completionPromise: 'OK' },
    })
    expect(settings.eventLoop).toMatchObject({ prompt: 'do it', maxIterations: 4, completionPromise: 'OK' })
    expect(settings.cli).toMatchObject({ backend: 'codex', model: 'm' })
  })

  test('-P names a file, unless it is stdin', async () => {
    const promptFile = async (file: string) =>
      (await loaded({ flags: { promptFile: file } })).settings.eventLoop.promptFile
    expect(await promptFile('other.md')).toBe('other.md')
    expect(await promptFile('-')).toBe('PROMPT.md')
  })

  test('anchors and aliases work, and scalars follow YAML 1.2', async () => {
    const { settings } = await loaded({
      yaml: `
hats:
  a: &a {name: yes, description: on, triggers: [x], disallowed_tools: &t [no, off]}
  b: {name: B, description: b, disallowed_tools: *t}
`,
    })
    expect(settings.hats[0]).toMatchObject({ name: 'yes', description: 'on' })
    expect(settings.hats[1]?.disallowedTools).toEqual(['no', 'off'])
  })
})

describe('the main file', () => {
  const files = { 'm.yml': 'event_loop: {max_iterations: 1}', 'n.yml': 'event_loop: {max_iterations: 2}' }

  test('is the first -c that names a file; further ones are ignored with a warning', async () => {
    const { settings, warnings, mainFile } = await loaded({
      files,
      configArgs: ['verbose=true', 'm.yml', 'n.yml'],
    })
    expect(settings.eventLoop.maxIterations).toBe(1)
    expect(settings.verbose).toBe(true)
    expect(basename(mainFile ?? '')).toBe('m.yml')
    expect(warnings).toEqual(['-c n.yml: ignored, the config file is m.yml'])
  })

  test('is else $RALPH_CONFIG, else ralph.yml', async () => {
    const env = { RALPH_CONFIG: 'n.yml' }
    const yaml = 'event_loop: {max_iterations: 3}'
    const of = async (setup: Parameters<typeof loaded>[0]) =>
      (await loaded(setup)).settings.eventLoop.maxIterations
    expect(await of({ files, yaml, env, configArgs: ['m.yml'] })).toBe(1)
    expect(await of({ files, yaml, env })).toBe(2)
    expect(await of({ files, yaml })).toBe(3)
  })

  test('is still ralph.yml with overrides only', async () => {
    const yaml = 'event_loop: {max_iterations: 3}'
    const { settings } = await loaded({ yaml, configArgs: ['core.scratchpad=.c/s.md'] })
    expect(settings.eventLoop.maxIterations).toBe(3)
    expect(settings.core.scratchpad).toEqual({ enabled: true, path: '.c/s.md' })
  })

  test('may have a name that looks like an override', async () => {
    const { settings } = await loaded({
      files: { 'verbose=true': 'event_loop: {max_iterations: 4}' },
      configArgs: ['verbose=true'],
    })
    expect(settings.eventLoop.maxIterations).toBe(4)
    expect(settings.verbose).toBe(false)
  })

  test.each([
    ['-c missing.yml', { configArgs: ['missing.yml'] }, 'missing.yml: no such file'],
    ['RALPH_CONFIG=missing.yml', { env: { RALPH_CONFIG: 'missing.yml' } }, 'missing.yml: no such file'],
    ['-c ./a=b/c.yml', { configArgs: ['./a=b/c.yml'] }, './a=b/c.yml: no such file'],
    ['-c folder', { files: { 'folder/x': '' }, configArgs: ['folder'] }, 'folder: is a folder, not a file'],
    [
      '-c builtin:x',
      { configArgs: ['builtin:x'] },
      '-c builtin:x: built-in hat collections are given with -H builtin:x',
    ],
  ])('%s is an error', async (_, setup, expected) => {
    expect(await faults(setup)).toEqual([expected])
  })

  test('every file that was read is listed with its hash', async () => {
    const { files: read } = await loaded({ yaml: 'verbose: true', home: '', hats: 'builtin:solo' })
    expect(read.map(({ path }) => path.split('/').slice(-2).join('/'))).toEqual([
      '.ralph/config.yml',
      'work/ralph.yml',
      'builtin:solo',
    ])
    expect(read[1]?.sha256).toBe(new Bun.CryptoHasher('sha256').update('verbose: true').digest('hex'))
  })
})

describe('-c key.path=value', () => {
  const yaml = `
hats:
  a.b: {name: A, description: a, triggers: [x], concurrency: 2, publishes: [y]}
  agg: {name: G, description: g, triggers: [y], aggregate: {mode: wait_for_all}}
`
  test.each([
    ['a number', 'event_loop.max_iterations=5', { eventLoop: { maxIterations: 5 } }],
    ['a text', 'core.specs_dir=./x/', { core: { specsDir: './x/' } }],
    ['a list', 'cli.args=[--fast, q]', { cli: { args: ['--fast', 'q'] } }],
    ['a value with an equals sign', 'event_loop.prompt=a=b', { eventLoop: { prompt: 'a=b' } }],
    [
      'a hat whose id has a dot',
      'hats.a.b.concurrency=6',
      { hats: [{ id: 'a.b', concurrency: 6 }, { id: 'agg' }] },
    ],
    [
      'a topic',
      'events.build.done.description=Built',
      { events: { 'build.done': { description: 'Built' } } },
    ],
    ['a key by its alias', 'hats.agg.args=[q]', { hats: [{}, { id: 'agg', backendArgs: ['q'] }] }],
  ])('takes %s', async (_, argument, expected) => {
    const { settings } = await loaded({ yaml, configArgs: [argument] })
    expect(settings).toMatchObject(expected)
  })

  test.each([
    ['core.foo=1', '-c core.foo=1: core.foo: unknown key, did you mean "'],
    ['event_loop.max_iteration=1', 'event_loop.max_iteration: unknown key, did you mean "max_iterations"?'],
    ['hats.a.b.concurency=1', 'hats.a.b.concurency: unknown key, did you mean "concurrency"?'],
    [
      'event_loop.max_iterations=many',
      '-c event_loop.max_iterations=many: event_loop.max_iterations: must be an integer of at least 1, not "many"',
    ],
    ['cli.command=[', '-c cli.command=[: cli.command: '],
    ['nothing=1', '-c nothing=1: nothing: unknown key, did you mean "'],
  ])('%s is an error', async (argument, expected) => {
    const [fault, ...more] = await faults({ yaml, configArgs: [argument] })
    expect(fault).toContain(expected)
    expect(more).toEqual([])
  })
})

test('hats keep the order of their file, whatever their ids', async () => {
  const yaml = 'hats: {"2": {name: two, description: x}, "1": {name: one, description: x}}'
  const { settings } = await loaded({ yaml, configArgs: ['hats.1.concurrency=1'] })
  expect(settings.hats.map(({ id }) => id)).toEqual(['2', '1'])
})

import { describe, expect, test } from 'bun:test'
import { faults, loaded } from './fixture.ts'

const hat = (rest: string) => `hats:\n  x:\n    name: X\n    description: x\n    ${rest}\n`

describe('what the schema refuses is named with file, line, column and key path', () => {
  const atLeastOne = 'must be an integer of at least 1'
  test.each([
    // unknown keys, at every level
    [
      'event_loop: {max_iteration: 3}',
      'ralph.yml:1:14: event_loop.max_iteration: unknown key, did you mean "max_iterations"?',
    ],
    ['event_lop: {}', 'ralph.yml:1:1: event_lop: unknown key, did you mean "event_loop"?'],
    ['event_lop:', 'ralph.yml:1:1: event_lop: unknown key, did you mean "event_loop"?'],
    [hat('concurency: 2'), 'ralph.yml:5:5: hats.x.concurency: unknown key, did you mean "concurrency"?'],
    [
      hat('aggregate: {mode: wait_for_all, time_out: 1}'),
      'hats.x.aggregate.time_out: unknown key, did you mean "timeout"?',
    ],
    [hat('backend: {typ: claude, command: x}'), 'hats.x.backend.typ: unknown key, did you mean "type"?'],
    [
      'adapters: {claude: {price: {input: 1, output: 2, cached: 1}}}',
      'adapters.claude.price.cached: unknown key, did you mean "cached_input"?',
    ],
    [
      'features: {loop_naming: {fromat: x}}',
      'features.loop_naming.fromat: unknown key, did you mean "format"?',
    ],
    ['hooks: {enable: true}', 'ralph.yml:1:9: hooks.enable: unknown key, did you mean "enabled"?'],
    [
      'hooks: {events: {pre: [{comand: x}]}}',
      'hooks.events.pre[0].comand: unknown key, did you mean "command"?',
    ],
    ['events: {a.b: {onTrigger: x}}', 'events.a.b.onTrigger: unknown key, did you mean "on_trigger"?'],
    ['project: {}', 'ralph.yml:1:10: project: is no longer known: its keys are in core'],
    ['name: x', 'name: only a hat collection (-H) has a name'],
    ['cli: {constructor: x}', 'cli: must not have a key __proto__, constructor, prototype'],
    ['"__proto__": {x: 1}', 'must not have a key __proto__'],

    // types
    ['event_loop: 5', 'ralph.yml:1:13: event_loop: must be a mapping, not 5'],
    ['event_loop: []', 'event_loop: must be a mapping, not a list'],
    ['verbose: yes', 'verbose: must be true or false, not "yes"'],
    ['cli: {args: --fast}', 'cli.args: must be a list, not "--fast"'],
    ['cli: {args: [a, 1]}', 'ralph.yml:1:17: cli.args[1]: must be a string, not 1'],
    ['cli: {command: "  "}', 'cli.command: must not be blank'],
    ['core: {scratchpad: 5}', 'core.scratchpad: must be a string, not 5'],
    ['core: {scratchpad: {enabled: maybe}}', 'core.scratchpad.enabled: must be true or false, not "maybe"'],
    ['event_loop: {max_cost_usd: lots}', 'event_loop.max_cost_usd: must be a number, not "lots"'],
    ['event_loop: {max_cost_usd: -1}', 'event_loop.max_cost_usd: must be a number of at least 0, not -1'],
    ['event_loop: {max_cost_usd: .inf}', 'event_loop.max_cost_usd: must be a number of at least 0'],
    ['event_loop: {completion_promise: " "}', 'event_loop.completion_promise: must not be blank'],
    ['cli: {prompt_mode: pipe}', 'cli.prompt_mode: must be one of arg, stdin, not "pipe"'],

    // counts and seconds
    [
      'event_loop: {max_iterations: 2147483648}',
      'event_loop.max_iterations: must be an integer of at most 2147483647',
    ],
    ['event_loop: {max_iterations: 1.5}', `event_loop.max_iterations: ${atLeastOne}, not 1.5`],
    ['event_loop: {max_silent_iterations: -1}', 'must be an integer of at least 0, not -1'],
    ['features: {max_concurrency: 0}', `features.max_concurrency: ${atLeastOne}`],
    ['features: {max_wave_items: 0}', `features.max_wave_items: ${atLeastOne}`],
    ['features: {retry: {attempts: 0}}', `features.retry.attempts: ${atLeastOne}`],
    [hat('concurrency: 0'), `ralph.yml:5:18: hats.x.concurrency: ${atLeastOne}`],
    [hat('concurrency: -1'), `hats.x.concurrency: ${atLeastOne}`],
    [hat('concurrency: 1.5'), `hats.x.concurrency: ${atLeastOne}`],
    [hat('timeout: 0'), `hats.x.timeout: ${atLeastOne}`],
    [hat('aggregate: {mode: wait_for_all, timeout: 0}'), `hats.x.aggregate.timeout: ${atLeastOne}`],
    [hat('aggregate: {mode: wait_for_all, budget_bytes: 0}'), `hats.x.aggregate.budget_bytes: ${atLeastOne}`],
    [hat('retry: {attempts: 0}'), `hats.x.retry.attempts: ${atLeastOne}`],

    // words
    [
      hat('aggregate: {mode: first_n}'),
      'ralph.yml:5:23: hats.x.aggregate.mode: "first_n" is not available: the only mode is wait_for_all',
    ],
    [hat('isolation: worktree'), 'hats.x.isolation: worktree is not available yet'],
    [hat('isolation: none'), 'hats.x.isolation: must be shared, not "none"'],
    [
      hat('retry: {on: [luck]}'),
      'hats.x.retry.on[0]: must be one of rate_limit, overload, network, locked, crash, not "luck"',
    ],
    ['features: {strays: all}', 'features.strays: must be one of wave, kill, keep, not "all"'],

    // names and topics
    ['hats: {"a b": {name: A}}', 'ralph.yml:1:8: hats.a b: a hat id has 1 to 64'],
    ['hats: {../x: {name: A}}', 'hats.../x: a hat id has 1 to 64'],
    [`hats: {${'a'.repeat(65)}: {name: A}}`, 'a hat id has 1 to 64'],
    [hat('publishes: ["a b"]'), 'ralph.yml:5:17: hats.x.publishes[0]: a topic must not contain white space'],
    [hat(`triggers: [${'t'.repeat(201)}]`), 'hats.x.triggers[0]: a topic has at most 200 characters'],
    [hat('default_publishes: ""'), 'hats.x.default_publishes: a topic must not be empty'],
    ['event_loop: {starting_event: a b}', 'event_loop.starting_event: a topic must not contain white space'],
    [
      'event_loop: {required_events: [a b]}',
      'event_loop.required_events[0]: a topic must not contain white space',
    ],
    ['events: {"a b": {description: x}}', 'events.a b: a topic must not contain white space'],
  ])('%j', async (yaml, expected) => {
    const found = await faults({ yaml })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(expected)
    expect(found[0]).toMatch(/^ralph\.yml:\d+:\d+: /)
  })

  test('a hat id of 64 characters is right', async () => {
    const { settings } = await loaded({ yaml: `hats: {${'a'.repeat(64)}: {name: A}}` })
    expect(settings.hats).toHaveLength(1)
  })
})

describe('YAML that cannot be read is named with its place', () => {
  test.each([
    ['a: [1', 'ralph.yml:1:6: '],
    ['cli:\n\targs: []', 'ralph.yml:2:1: this line is indented by a tab'],
    ['- a', 'ralph.yml:1:1: the root must be a mapping'],
    ['just text', 'ralph.yml:1:1: the root must be a mapping'],
    ['cli: *nowhere', 'ralph.yml:1:6: '],
    ['cli: &c {model: *c}', 'ralph.yml:1:17: the alias *c contains itself'],
    ['verbose: true\nverbose: false', 'ralph.yml:2:1: verbose: this key stands here a second time'],
    ['? [a]\n: b', 'ralph.yml:1:3: a key must be a plain text'],
    ['a: 1\n---\nb: 2', 'ralph.yml:'],
  ])('%j', async (yaml, expected) => {
    const found = await faults({ yaml })
    expect(found[0]).toStartWith(expected)
  })

  test('a tab is one fault, not one for every line that it spoils', async () => {
    const yaml = 'hats:\n  a:\n\t name: A\n    triggers: [x]\n    publishes: [y]\n  b:\n    name: B\n'
    expect(await faults({ yaml })).toEqual([
      'ralph.yml:3:1: this line is indented by a tab: YAML takes only spaces',
    ])
  })

  test('aliases that blow up are stopped', async () => {
    const level = (i: number) =>
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`
    const yaml = ['a0: &a0 [x]', ...Array.from({ length: 8 }, (_, i) => level(i + 1))].join('\n')
    expect(await faults({ yaml })).toEqual(['ralph.yml:1:1: more than 100000 values'])
  })
})

describe('all faults of all layers are shown in one go', () => {
  test('three mistakes on three lines, also where one shows only after merging', async () => {
    const yaml = `
event_loop:
  max_iteration: 3
cli:
  backend: custom
hats:
  a: {name: A, concurrency: 0, triggers: [task.start]}
`
    expect(await faults({ yaml }, (box) => expect(box.exists('.ralph')).toBe(false))).toEqual([
      'ralph.yml:3:3: event_loop.max_iteration: unknown key, did you mean "max_iterations"?',
      'ralph.yml:7:29: hats.a.concurrency: must be an integer of at least 1, not 0',
      expect.stringMatching(/^ralph\.yml:7:43: hats\.a\.triggers\[0\]: task\.start starts the loop/),
      'ralph.yml:5:12: cli.command: required for backend "custom"',
    ])
  })

  test('each layer is named', async () => {
    const found = await faults({
      home: 'verbos: true',
      yaml: 'cli: {arg: []}',
      hats: 'flow.yml',
      files: { 'flow.yml': 'hats: {a: {nam: A}}' },
      configArgs: ['core.x=1'],
      flags: { maxIterations: 0, backend: 'clade' },
    })
    expect(found.map((line) => line.replace(/^.*home\//, '~/').replace(/, did you.*/, ''))).toEqual([
      '~/.ralph/config.yml:1:1: verbos: unknown key',
      'ralph.yml:1:7: cli.arg: unknown key',
      'flow.yml:1:12: hats.a.nam: unknown key',
      '-c core.x=1: core.x: unknown key',
      '--max-iterations 0: event_loop.max_iterations: must be an integer of at least 1, not 0',
      'flow.yml:1:8: hats.a.name: required for hat "a"',
      '-b clade: cli.backend: unknown backend "clade"',
    ])
  })

  test('a wrong value is not also called missing', async () => {
    expect(await faults({ yaml: 'hats: {a: {name: 5, aggregate: {mode: all}}}' })).toEqual([
      'ralph.yml:1:18: hats.a.name: must be a string, not 5',
      'ralph.yml:1:39: hats.a.aggregate.mode: "all" is not available: the only mode is wait_for_all',
    ])
  })

  test('of a file that cannot be read nothing is concluded', async () => {
    const found = await faults({
      yaml: 'hats: [',
      configArgs: ['hats.a.concurrency=0', 'hats.b.concurrency=2'],
    })
    expect(found.filter((line) => !line.startsWith('ralph.yml'))).toEqual([
      '-c hats.a.concurrency=0: hats.a.concurrency: must be an integer of at least 1, not 0',
    ])
  })
})

import { describe, expect, test } from 'bun:test'
import { faults, loaded } from './fixture.ts'

const NO_EFFECT = 'accepted for compatibility, has no effect here'

describe('keys of v2.10 without effect', () => {
  const sections = `
RObot: {enabled: true, telegram: {bot_token: x}}
hooks: {enabled: false, events: {pre: [{name: n, mutate: {enabled: true}}]}}
memories: {budget: 5, filter: {tags: [a]}}
tasks: {}
skills: {overrides: {s: {tags: [x]}}}
tui: {prefix_key: a}
features: {parallel: true, preflight: {skip: [x]}}
adapters: {claude: {tool_permissions: [x]}}
event_loop: {checkpoint_interval: 5, starting_hat: h}
cli: {pty_mode: true}
archive_prompts: true
backpressure: {anything: {at: all}}
max_tokens: 5
`
  test('give one warning for each section, which names them', async () => {
    expect((await loaded({ yaml: sections })).warnings).toEqual([
      `ralph.yml:2:9: RObot.enabled, RObot.telegram.bot_token: ${NO_EFFECT}`,
      `ralph.yml:3:9: hooks.enabled, hooks.events.pre: ${NO_EFFECT}`,
      `ralph.yml:4:12: memories.budget, memories.filter.tags: ${NO_EFFECT}`,
      `ralph.yml:5:1: tasks, archive_prompts, backpressure, max_tokens: ${NO_EFFECT}`,
      `ralph.yml:6:26: skills.overrides.s.tags: ${NO_EFFECT}`,
      `ralph.yml:7:7: tui.prefix_key: ${NO_EFFECT}`,
      `ralph.yml:8:12: features.parallel, features.preflight.skip: ${NO_EFFECT}`,
      `ralph.yml:9:21: adapters.claude.tool_permissions: ${NO_EFFECT}`,
      `ralph.yml:10:14: event_loop.checkpoint_interval, event_loop.starting_hat: ${NO_EFFECT}`,
      `ralph.yml:11:7: cli.pty_mode: ${NO_EFFECT}`,
    ])
  })

  test('are known inside, so that typing errors are found', async () => {
    expect(await faults({ yaml: 'hooks: {enabledd: true}' })).toEqual([
      'ralph.yml:1:9: hooks.enabledd: unknown key, did you mean "enabled"?',
    ])
  })

  test('are warned of in every layer', async () => {
    const { warnings } = await loaded({
      home: 'tui: {}',
      configArgs: ['tasks.enabled=true', 'backpressure.x.y=1'],
    })
    expect(warnings).toEqual([
      expect.stringMatching(/\.ralph\/config\.yml:1:1: tui: accepted/),
      `-c tasks.enabled=true: tasks.enabled: ${NO_EFFECT}`,
      `-c backpressure.x.y=1: backpressure: ${NO_EFFECT}`,
    ])
  })

  test('_suppress_warnings hides warnings, not errors', async () => {
    const quiet = await loaded({ yaml: '_suppress_warnings: true\ntui: {}\nhats: {a: {name: A}}' })
    expect(quiet).toMatchObject({ warnings: [], suppressWarnings: true })
    expect(await faults({ yaml: '_suppress_warnings: true\nunknwn: 1' })).toHaveLength(1)
  })
})

describe('a wave collection in the shape of v2.10', () => {
  const text = `
event_loop:
  prompt_file: "PROMPT.md"
  completion_promise: "review.complete"
  starting_event: "review.start"
  max_iterations: 20
  max_runtime_seconds: 3600
  required_events:
    - "review.done"
cli:
  backend: "claude"
core:
  guardrails:
    - "One topic each"
hats:
  coordinator:
    name: "📋 Lead"
    description: "Hands out topics."
    triggers: ["review.start"]
    publishes: ["review.perspective"]
    instructions: |
      Hand out topics.
  reviewer:
    name: "🔍 Reader"
    description: "Reads one topic."
    triggers: ["review.perspective"]
    publishes: ["review.done"]
    concurrency: 3
    timeout: 600
  synthesizer:
    name: "📊 Writer"
    description: "Writes it down."
    triggers: ["review.done"]
    publishes: ["review.complete"]
    disallowed_tools: ["Read", "Edit"]
    default_publishes: "review.complete"
    aggregate:
      mode: wait_for_all
      timeout: 300
`
  const timeouts = expect.stringContaining(
    'hats.reviewer.timeout is 600, longer than hats.synthesizer.aggregate.timeout',
  )
  const files = { 'wave.yml': text }

  test('loads with -H: what stays with the main config is named', async () => {
    const { settings, warnings } = await loaded({ files, hats: 'wave.yml' })
    expect(settings.hats.map(({ id, concurrency }) => [id, concurrency])).toEqual([
      ['coordinator', 1],
      ['reviewer', 3],
      ['synthesizer', 1],
    ])
    expect(settings.eventLoop).toMatchObject({ maxIterations: 100, requiredEvents: ['review.done'] })
    expect(settings.core.guardrailsAreSet).toBe(false)
    expect(warnings).toEqual([
      'wave.yml:10:1: cli, core, event_loop.prompt_file, event_loop.max_iterations, event_loop.max_runtime_seconds: ignored in a hat collection: the main config counts',
      timeouts,
    ])
  })

  test('loads with -c', async () => {
    const { settings, warnings } = await loaded({ files, configArgs: ['wave.yml'] })
    expect(settings.eventLoop).toMatchObject({ maxIterations: 20, maxRuntimeSeconds: 3600 })
    expect(settings.core).toMatchObject({ guardrails: ['One topic each'], guardrailsAreSet: true })
    expect(settings.hats[2]?.aggregate).toEqual({
      mode: 'wait_for_all',
      timeoutSeconds: 300,
      timeoutIsSet: true,
      budgetBytes: 200_000,
    })
    expect(warnings).toEqual([timeouts])
  })
})

import { describe, expect, test } from 'bun:test'
import { faults, loaded } from './fixture.ts'

const hatsOf = async (setup: Parameters<typeof loaded>[0]) =>
  (await loaded(setup)).settings.hats.map(({ id }) => id)

const A = 'hats: {a: {name: A, description: a}}'
const B = 'hats: {b: {name: B, description: b}}'

describe('a hat collection is found', () => {
  test.each([
    ['as a file', { hats: 'x/b.yml', files: { 'x/b.yml': B } }],
    ['in ./presets', { hats: 'flow', files: { 'presets/flow.yml': B } }],
    [
      'with a folder of the same name beside it',
      { hats: 'flow', files: { 'presets/flow.yml': B, 'flow/x': '' } },
    ],
    ['as .yaml', { hats: 'flow2', files: { 'presets/flow2.yaml': B } }],
    [
      'in $XDG_CONFIG_HOME/ralph/presets, before ~/.config',
      {
        hats: 'flow',
        env: { XDG_CONFIG_HOME: 'xdg' },
        files: { 'xdg/ralph/presets/flow.yml': B, '../home/.config/ralph/presets/flow.yml': A },
      },
    ],
    ['in ~/.config/ralph/presets', { hats: 'flow', files: { '../home/.config/ralph/presets/flow.yml': B } }],
    ['in $RALPH_PRESETS_DIR', { hats: 'flow', env: { RALPH_PRESETS_DIR: 'p' }, files: { 'p/flow.yml': B } }],
    ['among the built-in ones', { hats: 'builtin:flow', presets: { flow: B } }],
  ])('%s', async (_, setup) => {
    expect(await hatsOf(setup)).toEqual(['b'])
  })

  test.each([
    ['nope', {}, '-H nope: no hat collection of this name; looked for '],
    ['flow3', { files: { 'presets/flow3/x': '' } }, '-H flow3: no hat collection of this name'],
    ['x/nope.yml', {}, '-H x/nope.yml: no such file'],
    [
      'builtin:nope',
      {},
      '-H builtin:nope: there is no such built-in hat collection; there are: importing, solo',
    ],
    ['builtin:toString', {}, '-H builtin:toString: there is no such built-in hat collection'],
    ['https://example.org/h.yml', {}, 'hat collections from URLs are not available yet'],
  ])('%s is not', async (hats, setup, expected) => {
    const found = await faults({ ...setup, hats })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(expected)
  })
})

describe('a hat collection', () => {
  test('replaces hats and events of the main file, each if it has them', async () => {
    const yaml = `${A}\nevents: {t.x: {description: x}}`
    expect(await hatsOf({ yaml, hats: 'b.yml', files: { 'b.yml': B } })).toEqual(['b'])
    expect(await hatsOf({ yaml, hats: 'builtin:solo' })).toEqual([])
    const events = { hats: 'e.yml', files: { 'e.yml': 'events: {t.y: {on_publish: y}}' } }
    const { settings } = await loaded({ yaml, ...events })
    expect(settings.hats.map(({ id }) => id)).toEqual(['a'])
    expect(settings.events).toEqual({ 't.y': { onPublish: 'y' } })
  })

  test('has a say in the event loop, but not in limits', async () => {
    const { settings, warnings } = await loaded({
      yaml: 'event_loop: {max_iterations: 20, starting_event: old}',
      hats: 'c.yml',
      files: {
        'c.yml': `
name: flow
description: A flow.
${B}
event_loop:
  completion_promise: DONE
  starting_event: go
  cancellation_promise: loop.cancel
  required_events: [r]
  persistent: true
  enforce_hat_scope: true
  max_iterations: 150
  checkpoint_interval: 2
cli: {backend: nope}
core: {specs_dir: x}
`,
      },
    })
    expect(settings.eventLoop).toMatchObject({
      completionPromise: 'DONE',
      startingEvent: 'go',
      cancellationPromise: 'loop.cancel',
      requiredEvents: ['r'],
      persistent: true,
      enforceHatScope: true,
      maxIterations: 20,
    })
    expect(settings.cli.backend).toBe('claude')
    expect(settings.core.specsDir).toBe('.ralph/specs/')
    expect(warnings).toEqual([
      'c.yml:14:1: cli, core, event_loop.max_iterations, event_loop.checkpoint_interval: ignored in a hat collection: the main config counts',
    ])
  })

  test('is no main config: without hats and events, other keys are errors', async () => {
    const files = { 'c.yml': 'cli: {backend: codex}\nevent_loop: {persistent: true}' }
    expect(await faults({ hats: 'c.yml', files })).toEqual([
      'c.yml:1:1: cli: not allowed in a hat collection',
    ])
  })

  test('may not have unknown keys', async () => {
    const files = { 'c.yml': `${B}\nhat: 1` }
    expect(await faults({ hats: 'c.yml', files })).toEqual([
      'c.yml:2:1: hat: unknown key, did you mean "hats"?',
    ])
  })

  test('is below overrides and flags', async () => {
    const setup = { hats: 'builtin:solo', configArgs: ['event_loop.completion_promise=X'] }
    expect((await loaded(setup)).settings.eventLoop.completionPromise).toBe('X')
    const flags = { completionPromise: 'Y' }
    expect((await loaded({ ...setup, flags })).settings.eventLoop.completionPromise).toBe('Y')
  })
})

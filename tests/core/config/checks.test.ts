import { describe, expect, test } from 'bun:test'
import { checkUse } from '../../../core/config/checks/backends.ts'
import { formatFault } from '../../../core/config/fault.ts'
import { BACKENDS, faults, loaded, type Setup } from './fixture.ts'

/** Hats in one line each: `id: {…}`, given a name and a description. */
function hats(...rows: readonly string[]): string {
  const lines = rows.map((row) => `  ${row.replace('{', '{name: N, description: d, ')}`)
  return `hats:\n${lines.join('\n')}\n`
}

type Row = readonly [yaml: string, expected: string, more?: Setup]

describe('faults that only show across keys', () => {
  const rows: readonly Row[] = [
    // hats
    ['hats: {a: {description: d}}', 'ralph.yml:1:8: hats.a.name: required for hat "a"'],
    ['hats: {a: }', 'hats.a.name: required for hat "a"'],
    ['hats: {a: {name: " "}}', 'hats.a.name: required for hat "a"'],
    [
      hats('a: {triggers: [x]}', 'b: {triggers: [y, x]}'),
      'ralph.yml:3:46: hats.b.triggers[1]: "x" is a trigger of hat "a" and of hat "b"; only one of them can have it',
    ],
    [hats('a: {triggers: ["*"]}', 'b: {triggers: ["*"]}'), '"*" is a trigger of hat "a" and of hat "b"'],
    [hats('a: {triggers: [task.start]}'), 'hats.a.triggers[0]: task.start starts the loop'],
    [hats('a: {triggers: [x, task.resume]}'), 'hats.a.triggers[1]: task.resume starts the loop'],
    [hats('a: {args: [q], backend_args: [q]}'), 'hats.a.args: means backend_args, which is set too'],
    [
      hats('a: {backend: {args: [q]}}'),
      'hats.a.backend: needs either type (a backend) or command (a program)',
    ],
    [hats('a: {backend: {type: codex, command: x}}'), 'hats.a.backend: needs either type'],
    [
      hats('a: {backend: {type: codex, prompt_mode: arg}}'),
      'hats.a.backend.prompt_mode: goes with command only',
    ],
    [hats('a: {backend: {command: x, agent: y}}'), 'hats.a.backend.agent: goes with type only'],

    // waves
    [
      hats('a: {concurrency: 2, aggregate: {mode: wait_for_all}}'),
      'hats.a.aggregate: hat "a" has aggregate and concurrency 2: it waits for all results, so it cannot run several times at once; remove one of the two',
    ],
    [hats('a: {aggregate: {timeout: 5}}'), 'hats.a.aggregate.mode: required'],
    [hats('a: {aggregate: {}}'), 'hats.a.aggregate.mode: required'],

    // objective, cli, adapters
    [
      'event_loop: {prompt: x, prompt_file: other.md}',
      'ralph.yml:1:38: event_loop.prompt_file: prompt is set too, and prompt_file is not PROMPT.md',
    ],
    ['event_loop: {prompt: x, prompt_file: other.md}', 'prompt is set too', { flags: { prompt: 'y' } }],
    ['cli: {backend: custom}', 'ralph.yml:1:16: cli.command: required for backend "custom"'],
    ['', '-b custom: cli.command: required for backend "custom"', { flags: { backend: 'custom' } }],
    [
      hats('a: {backend: custom}'),
      'hats.a.backend: hat "a" needs a command of its own: backend: {command: …}; cli.command belongs to the global backend, which is "claude"',
    ],
    [
      'adapters: {codex: {price: {input: 1}}}',
      'ralph.yml:1:20: adapters.codex.price.output: required: USD per million tokens',
    ],

    // backends
    [
      'cli: {backend: clade}',
      'ralph.yml:1:16: cli.backend: unknown backend "clade", did you mean "claude"? known: auto, claude, codex, kiro, custom, mock, mine',
    ],
    ['agent: clade', 'ralph.yml:1:8: cli.backend: unknown backend "clade"'],
    [
      '',
      '-b clade: cli.backend: unknown backend "clade", did you mean "claude"? known: auto, ',
      { flags: { backend: 'clade' } },
    ],
    [hats('a: {backend: nope}'), 'hats.a.backend: unknown backend "nope"'],
    [hats('a: {backend: auto}'), 'hats.a.backend: unknown backend "auto"'],
    [hats('a: {backend: {type: nope}}'), 'hats.a.backend.type: unknown backend "nope"'],
    [
      'adapters: {clade: {timeout: 1}}',
      'ralph.yml:1:12: adapters.clade: unknown backend "clade", did you mean "claude"?',
    ],
    ['agent_priority: [claude, nope]', 'ralph.yml:1:26: agent_priority[1]: unknown backend "nope"'],
    ['cli: {backend: later}', 'cli.backend: backend "later" is not available yet: nobody has written it'],
    [
      hats('a: {backend: {type: codex, agent: x}}'),
      'hats.a.backend.agent: backend "codex" has no agents to choose from; only kiro has',
    ],

    // models
    [
      'cli: {backend: custom, command: x, model: m}',
      'ralph.yml:1:43: cli.model: backend "custom" takes no model',
    ],
    [
      'cli: {backend: mock}',
      '--model m: cli.model: backend "mock" takes no model',
      { flags: { model: 'm' } },
    ],
    [hats('a: {model: m}'), 'hats.a.model: backend "mock" takes no model', { flags: { backend: 'mock' } }],
    [hats('a: {backend: {command: x}, model: m}'), 'hats.a.model: backend "custom" takes no model'],

    ['cli: {model: --share}', 'ralph.yml:1:14: cli.model: must not begin with "-"'],

    // effort
    [
      'cli: {backend: codex, effort: high}',
      'ralph.yml:1:31: cli.effort: backend "codex" has no setting for effort',
    ],
    [
      'cli: {effort: hihg}',
      'ralph.yml:1:15: cli.effort: backend "claude" knows no effort "hihg"; it has low, high',
    ],
    [
      hats('a: {backend: {command: x}, effort: low}'),
      'hats.a.effort: backend "custom" has no setting for effort',
    ],
    ['cli: {effort: "high --share"}', 'ralph.yml:1:15: cli.effort: must be one word of a-z, 0-9 and -'],

    // budgets
    [
      'cli: {backend: codex}\nevent_loop: {max_cost_usd: 1}',
      'ralph.yml:2:28: event_loop.max_cost_usd: cannot be kept: backend "codex" reports no cost; set adapters.codex.price, or use event_loop.max_tokens_total in its place',
    ],
    [
      'cli: {backend: custom, command: x}\nevent_loop: {max_cost_usd: 1}',
      'backend "custom" reports no cost; it reports no tokens either, so neither a price (adapters.custom.price) nor event_loop.max_tokens_total in its place can help',
    ],
    [
      `${hats('b: {backend: {command: ./b.sh}}')}event_loop: {max_cost_usd: 1}`,
      'event_loop.max_cost_usd: cannot be kept: backend "custom" (of hat "b") reports no cost',
    ],
    [
      'cli: {backend: kiro}\nevent_loop: {max_tokens_total: 9}',
      'event_loop.max_tokens_total: cannot be kept: backend "kiro" reports no tokens',
    ],
    [
      'cli: {backend: kiro}\nadapters: {kiro: {price: {input: 1, output: 2}}}',
      'adapters.kiro.price: cannot be applied: backend "kiro" reports no tokens',
    ],
  ]
  test.each(rows.map(([yaml, expected, more = {}]) => [yaml, expected, more] as const))(
    '%j → %s',
    async (yaml, expected, more) => {
      const found = await faults({ yaml, ...more })
      expect(found).toHaveLength(1)
      expect(found[0]).toContain(expected)
    },
  )
})

describe('what is right stays right', () => {
  const rows: readonly (readonly [yaml: string, more?: Setup])[] = [
    [hats('a: {triggers: ["task.*"]}')],
    [hats('a: {triggers: [x, x]}')],
    [hats('a: {backend: {type: kiro, agent: reviewer}}')],
    [hats('a: {backend: custom}'), { configArgs: ['cli.backend=custom', 'cli.command=x'] }],
    ['event_loop: {prompt: x, prompt_file: PROMPT.md}'],
    ['event_loop: {prompt: x}', { flags: { promptFile: 'other.md' } }],
    ['event_loop: {max_cost_usd: 1, max_tokens_total: 9}'],
    [
      'cli: {backend: codex}\nevent_loop: {max_cost_usd: 1}\nadapters: {codex: {price: {input: 1, output: 2}}}',
    ],
    ['cli: {backend: codex}\nevent_loop: {max_tokens_total: 9}'],
    ['adapters: {kiro: {price: {input: 1, output: 2}}}'],
    ['cli: {backend: mine, model: m}\nevent_loop: {max_cost_usd: 1, max_tokens_total: 9}'],
    ['cli: {backend: auto, model: m}\nevent_loop: {max_cost_usd: 1, max_tokens_total: 9}'],
  ]
  test.each(rows.map(([yaml, more = {}]) => [yaml, more] as const))('%j', async (yaml, more) => {
    expect((await loaded({ yaml, ...more })).warnings).toEqual([])
  })
})

describe('warnings', () => {
  const G = 'g: {triggers: [done], aggregate: {mode: wait_for_all}}'
  const rows: readonly (readonly [yaml: string, expected: readonly unknown[]])[] = [
    [
      'hats: {a: {name: A}, b: {name: B, description: " "}}',
      [
        'ralph.yml:1:8: hats.a.description: hat "a" has no description: hats that hand over to it see only its name',
        expect.stringContaining('hat "b" has no description'),
      ],
    ],
    [
      hats('z: {triggers: ["x.*"]}', 'a: {triggers: ["*.go"], publishes: [x.go]}'),
      [
        'ralph.yml:3:43: hats.a.triggers[0]: hats "z" (x.*) and "a" (*.go) both match x.go; "z" gets it, since it comes first',
      ],
    ],
    [
      hats('z: {triggers: ["x.*"]}', 'a: {triggers: [x.go, x.stop]}'),
      [expect.stringContaining('hats "z" (x.*) and "a" (x.go) both match x.go')],
    ],
    // The catch-all yields to everyone: that is what it is for.
    [hats('log: {triggers: ["*"]}', 'a: {triggers: [x.go]}'), []],
    [
      hats('w: {triggers: [go], publishes: [nobody], concurrency: 3}'),
      [
        'ralph.yml:2:82: hats.w.concurrency: hat "w" feeds no hat with aggregate: nobody waits for all results, they reach hats as ordinary events',
      ],
    ],
    [
      hats('w: {triggers: [go], concurrency: 3}', G),
      [
        expect.stringContaining('hats.w.concurrency: hat "w" has no publishes'),
        expect.stringContaining('hat "w" feeds no hat with aggregate'),
      ],
    ],
    [hats('w: {triggers: [go], publishes: [done], concurrency: 3}', G), []],
    [
      hats(
        'v: {triggers: [go], publishes: [mid], concurrency: 3}',
        'w: {triggers: [mid], publishes: [done], concurrency: 2}',
        G,
      ),
      [],
    ],
    [
      hats('w: {triggers: [go], publishes: [done], timeout: 600}', G.replace('all}', 'all, timeout: 300}')),
      [
        'ralph.yml:2:76: hats.w.timeout: hats.w.timeout is 600, longer than hats.g.aggregate.timeout, which is 300; the wave waits for the longer of the two',
      ],
    ],
    [hats('w: {triggers: [go], publishes: [done], timeout: 600}', G), []],
    [
      hats('w: {triggers: [go], publishes: [done], timeout: 300}', G.replace('all}', 'all, timeout: 300}')),
      [],
    ],
    [
      `${hats('w: {triggers: [go], publishes: [done], concurrency: 9}', G)}features: {max_concurrency: 4}`,
      [
        'ralph.yml:2:80: hats.w.concurrency: hat "w" asks for 9 workers at once, features.max_concurrency allows 4 in the whole run',
      ],
    ],
    [
      'cli: {prompt_mode: arg, prompt_flag: -p}',
      [
        'ralph.yml:1:7: cli.prompt_mode, cli.prompt_flag: no effect with backend "claude": only "custom" reads it',
      ],
    ],
    [
      'cli: {backend: custom, command: x, prompt_mode: stdin, prompt_flag: -p}',
      ['ralph.yml:1:56: cli.prompt_flag: no effect with prompt_mode: stdin'],
    ],
    [
      'adapters: {codex: {script: x}, mock: {script: y}}',
      ['ralph.yml:1:20: adapters.codex.script: no effect: only "mock" reads it'],
    ],
    [
      'core: {scratchpad: {enabled: false}}',
      [
        'ralph.yml:1:21: core.scratchpad.enabled: set back to true: without hats the scratchpad is the only memory',
      ],
    ],
    [`${hats('a: {}')}core: {scratchpad: {enabled: false}}`, []],
  ]
  test.each(rows)('%j', async (yaml, expected) => {
    expect((await loaded({ yaml })).warnings).toEqual([...expected] as string[])
  })

  test('without hats a scratchpad is always on; with hats the config decides', async () => {
    const core = 'core: {scratchpad: {enabled: false, path: s.md}}'
    const of = async (yaml: string) => (await loaded({ yaml })).settings.core.scratchpad
    expect(await of(core)).toEqual({ enabled: true, path: 's.md' })
    expect(await of(`${core}\n${hats('a: {}')}`)).toEqual({ enabled: false, path: 's.md' })
  })
})

test('backends are checked again once auto is resolved and plugins are loaded', async () => {
  const { settings, tree } = await loaded({
    yaml: 'cli: {backend: auto, model: m, effort: low}\nevent_loop: {max_cost_usd: 1}',
  })
  const resolved = { ...settings, cli: { ...settings.cli, backend: 'mock' } }
  const found = checkUse(resolved, { backends: BACKENDS }, tree).map(formatFault)
  expect(found).toEqual([
    'ralph.yml:1:29: cli.model: backend "mock" takes no model',
    'ralph.yml:1:40: cli.effort: backend "mock" has no setting for effort',
    expect.stringMatching(
      /^ralph\.yml:2:28: event_loop\.max_cost_usd: cannot be kept: backend "mock" reports no cost/,
    ),
  ])
})

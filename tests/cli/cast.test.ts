import { describe, expect, test } from 'bun:test'
import { castHats } from '../../cli/cast.ts'
import { commandLine, programOf } from '../../cli/command-line.ts'
import { createPalette } from '../../cli/view/colour.ts'
import { renderDryRun } from '../../cli/view/dry-run.ts'
import { renderIntro } from '../../cli/view/intro.ts'
import type { Backend, Look } from '../../core/backend/contract.ts'
import { defineBackend } from '../../core/backend/define.ts'
import type { Registry } from '../../core/backend/registry.ts'
import type { AdapterSettings, CliSettings, Settings } from '../../core/config/settings.ts'
import { RalphError } from '../../core/errors.ts'
import type { Hat } from '../../core/hat.ts'
import { err, ok } from '../../core/result.ts'

/** A program that takes its prompt as the last argument, and is installed or not. */
function backend(name: string, installed = true): Backend {
  return defineBackend({
    name,
    summary: name,
    traits: {
      access: `what ${name} may`,
      takesModel: true,
      reportsCost: true,
      reportsTokens: true,
      ...(name === 'rare' ? {} : { effort: ['low', 'high'] }),
      verified: name !== 'rare',
    },
    invoke: ({ command = name, args, model, effort, prompt }) => ({
      argv: [
        command,
        ...(model === undefined ? [] : ['--model', model]),
        ...(effort === undefined ? [] : ['--effort', effort]),
        ...args,
        prompt,
      ],
      prompt: 'arg',
    }),
    detect: async () => ({ found: installed, program: name, problems: [] }),
  })
}

const known: Readonly<Record<string, Backend>> = {
  claude: backend('claude'),
  gemini: backend('gemini', false),
  codex: backend('codex'),
  rare: backend('rare'),
  custom: defineBackend({
    name: 'custom',
    summary: 'custom',
    invoke: ({ command = '', args, promptMode, promptFlag, prompt }) =>
      promptMode === 'stdin'
        ? { argv: [command, ...args], prompt: 'stdin' }
        : { argv: [command, ...args, ...(promptFlag ? [promptFlag] : []), prompt], prompt: 'arg' },
  }),
}

const registry: Registry = {
  trusting: () => registry,
  names: () => Object.keys(known),
  entries: () => [],
  remarks: () => [],
  load: async (name) => {
    const found = known[name]
    return found ? ok(found) : err(new RalphError('backend_unknown', `unknown backend "${name}"`))
  },
}

const look: Look = {
  env: {},
  uid: 1,
  which: () => null,
  run: async () => ({ exitCode: 1, stdout: '', stderr: '' }),
}

function hat(id: string, more: Partial<Hat> = {}): Hat {
  return {
    id,
    name: id.toUpperCase(),
    description: id,
    triggers: [`${id}.go`],
    publishes: ['x.done'],
    instructions: '',
    backendArgs: [],
    disallowedTools: [],
    concurrency: 1,
    ...more,
  }
}

function settings(
  more: {
    cli?: Partial<CliSettings>
    hats?: readonly Hat[]
    adapters?: Record<string, AdapterSettings>
  } = {},
): Settings {
  return {
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
      ...more.cli,
    },
    core: {
      scratchpad: { enabled: true, path: '.ralph/agent/scratchpad.md' },
      specsDir: '.ralph/specs/',
      guardrails: [],
      guardrailsAreSet: false,
    },
    adapters: more.adapters ?? {},
    features: {
      maxConcurrency: 8,
      maxWaveItems: 100,
      strays: 'wave',
      retry: { attempts: 3, on: [], backoffSeconds: 10 },
      maxAgents: 1000,
      maxDepth: 2,
      exitGraceSeconds: 15,
      emitGraceSeconds: 120,
    },
    hats: more.hats ?? [],
    events: {},
    verbose: false,
  }
}

async function cast(of: Settings, extraArgs: readonly string[] = []) {
  return castHats({ settings: of, registry, extraArgs, cwd: '/w', look })
}

async function lines(of: Settings, extraArgs: readonly string[] = []): Promise<Record<string, string>> {
  const found = await cast(of, extraArgs)
  if (!found.ok) throw found.error
  return Object.fromEntries([...found.value.parts].map(([id, part]) => [id, commandLine(part)]))
}

describe('who plays which hat', () => {
  test('a hat without a backend is played by the global one, with its arguments, those after --, and its own last', async () => {
    const of = settings({ cli: { args: ['-g'] }, hats: [hat('a', { backendArgs: ['-own'] }), hat('b')] })
    expect(await lines(of, ['-extra'])).toEqual({
      '': 'claude -g -extra <prompt>',
      a: 'claude -g -extra -own <prompt>',
      b: 'claude -g -extra <prompt>',
    })
  })

  test('a hat that names the global backend gets the global arguments and command too', async () => {
    const of = settings({
      cli: { args: ['-g'], command: './my-claude' },
      hats: [hat('a', { backend: { kind: 'named', name: 'claude', args: ['-h'] } })],
    })
    expect((await lines(of, ['-x'])).a).toBe('./my-claude -g -h -x <prompt>')
  })

  test('a hat that names another one gets none of them', async () => {
    const of = settings({
      cli: { args: ['-g'], command: './my-claude', model: 'm1' },
      hats: [hat('a', { backend: { kind: 'named', name: 'codex', args: ['-h'] }, backendArgs: ['-own'] })],
    })
    expect((await lines(of, ['-x'])).a).toBe('codex -h -own <prompt>')
  })

  test("the hat's model wins over the global one", async () => {
    const of = settings({ cli: { model: 'm1' }, hats: [hat('a', { model: 'm2' }), hat('b')] })
    expect(await lines(of)).toEqual({
      '': 'claude --model m1 <prompt>',
      a: 'claude --model m2 <prompt>',
      b: 'claude --model m1 <prompt>',
    })
  })

  test("the hat's effort wins over the global one, which holds for hats of the global backend alone", async () => {
    const of = settings({
      cli: { effort: 'low' },
      hats: [
        hat('a', { effort: 'high' }),
        hat('b'),
        hat('c', { backend: { kind: 'named', name: 'codex', args: [] } }),
      ],
    })
    expect(await lines(of)).toEqual({
      '': 'claude --effort low <prompt>',
      a: 'claude --effort high <prompt>',
      b: 'claude --effort low <prompt>',
      c: 'codex <prompt>',
    })
  })

  test('a hat with a command of its own is played by that command', async () => {
    const of = settings({
      hats: [
        hat('a', { backend: { kind: 'command', command: './b.sh', args: ['-q'], promptMode: 'stdin' } }),
        hat('b', {
          backend: { kind: 'command', command: 'my tool', args: [], promptMode: 'arg', promptFlag: '--say' },
        }),
      ],
    })
    const found = await lines(of, ['-x'])
    expect(found.a).toBe('./b.sh -q < <prompt>')
    expect(found.b).toBe("'my tool' --say <prompt>")
  })

  test('an unknown backend is an error, there is no other in its place', async () => {
    const named = await cast(settings({ cli: { backend: 'nope' } }))
    expect(named).toMatchObject({ ok: false, error: { code: 'backend_unknown' } })
    const ofHat = await cast(
      settings({ hats: [hat('a', { backend: { kind: 'named', name: 'nope', args: [] } })] }),
    )
    expect(ofHat).toMatchObject({ ok: false, error: { code: 'backend_unknown' } })
  })
})

describe('the backend auto', () => {
  const off: AdapterSettings = { timeoutSeconds: 900, enabled: false }
  const auto = (agentPriority: readonly string[], adapters = {}) =>
    settings({ cli: { backend: 'auto', agentPriority }, adapters })
  const playing = async (of: Settings) => {
    const found = await cast(of)
    return found.ok ? found.value.parts.get('')?.backend.name : found.error.message
  }

  test('is the first whose program is there', async () => {
    expect(await playing(auto([]))).toBe('claude')
    expect(await playing(auto(['gemini', 'codex', 'claude']))).toBe('codex')
  })

  test('passes over what is switched off', async () => {
    expect(await playing(auto([], { claude: off }))).toBe('codex')
  })

  test.each([
    { priority: [], adapters: {}, text: 'auto: claude, the first in order that is there' },
    {
      priority: ['gemini', 'claude', 'codex'],
      adapters: { claude: off },
      text: 'auto: codex, the first in the order of agent_priority that is there; passed over: gemini (gemini), claude (switched off)',
    },
  ])('says what it chose and why: $text', async ({ priority, adapters, text }) => {
    const found = await cast(auto(priority, adapters))
    expect(found.ok && found.value.chosen).toBe(text)
  })

  test('says nothing where the backend is named', async () => {
    const found = await cast(settings())
    expect(found.ok && found.value.chosen).toBeNull()
  })

  test('without any names what was tried', async () => {
    const message = await playing(auto(['gemini', 'codex'], { codex: off }))
    expect(message).toContain('gemini')
    expect(message).toContain('codex (switched off)')
  })
})

describe('what a person is shown before a run', () => {
  const paint = createPalette(false)
  const shown = async (of: Settings) => {
    const found = await cast(of)
    if (!found.ok) throw found.error
    return {
      intro: renderIntro(found.value, of, paint),
      dry: renderDryRun(
        {
          settings: of,
          cast: found.value,
          objective: { text: 'do\nit', source: '-p' },
          around: () => ({ cwd: '/work', env: {} }),
        },
        paint,
      ),
      programs: [...found.value.parts.values()].map(programOf),
    }
  }

  test('the program, its access, and that there is no cost limit', async () => {
    const { intro } = await shown(settings({ cli: { command: './fake.sh' } }))
    expect(intro).toEqual([
      'program  claude (./fake.sh): what claude may',
      'budgets  100 iterations | 4h | no cost limit | 1000 agents',
    ])
  })

  test('one line for each program, once, with the hats that it plays', async () => {
    const rare = { kind: 'named', name: 'rare', args: [] } as const
    const { intro } = await shown(
      settings({ hats: [hat('a', { backend: rare }), hat('b'), hat('c', { backend: rare })] }),
    )
    expect(intro.slice(0, 2)).toEqual([
      'program  claude (claude): what claude may — plays ralph, b',
      'program  rare (rare): what rare may — plays a, c',
    ])
  })

  test('the limits that are set', async () => {
    const of = settings()
    const { intro } = await shown({
      ...of,
      eventLoop: { ...of.eventLoop, maxCostUsd: 3, maxTokensTotal: 5000 },
    })
    expect(intro[1]).toBe('budgets  100 iterations | 4h | at most $3.00 | 5.0k tokens | 1000 agents')
  })

  test('a dry run has the whole plan', async () => {
    const { dry } = await shown(
      settings({
        hats: [hat('a', { concurrency: 3 }), hat('b', { maxActivations: 2, backendArgs: ['it is'] })],
      }),
    )
    expect(dry).toBe(`  objective   do it (from -p)
  start       task.start
  promise     LOOP_COMPLETE
  limits      100 iterations | 4h | no cost limit | 1000 agents
  scratchpad  .ralph/agent/scratchpad.md
  specs       .ralph/specs/
  backend     claude
  mode        autonomous

Hats
  a  A: a.go → x.done [concurrency 3]
  b  B: b.go → x.done [at most 2 times]

Command lines
  ralph  claude <prompt>
  a      claude <prompt>
  b      claude 'it is' <prompt>

dry run: nothing was started or written
`)
  })
})

describe('what was not known before the backends were', () => {
  test('is refused once it is: a file of a plugin says that it has no setting for effort', async () => {
    const found = await cast(settings({ cli: { backend: 'rare', effort: 'high' } }))
    expect(found).toMatchObject({ ok: false, error: { code: 'config' } })
    if (!found.ok)
      expect(found.error.message).toContain('cli.effort: backend "rare" has no setting for effort')
  })

  test('holds for what `auto` becomes, and for its budgets', async () => {
    const of = settings({ cli: { backend: 'auto', effort: 'enormous', agentPriority: ['codex'] } })
    const found = await cast(of)
    if (found.ok) throw new Error('an effort that nobody knows was taken')
    expect(found.error.message).toContain('backend "codex" knows no effort "enormous"; it has low, high')
    const plain = settings({ cli: { backend: 'auto', agentPriority: ['codex'] } })
    const budget = await cast({
      ...plain,
      hats: [hat('a', { backend: { kind: 'named', name: 'custom', args: [] } })],
      eventLoop: { ...plain.eventLoop, maxCostUsd: 1 },
    })
    if (budget.ok) throw new Error('a budget that nobody keeps was taken')
    expect(budget.error.message).toContain('event_loop.max_cost_usd: cannot be kept: backend "custom"')
  })
})

import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import {
  agentScript,
  configure,
  F,
  FC,
  FW,
  hat,
  main,
  roleScript,
  run,
  rundir,
  runId,
  starts,
} from './fixtures.ts'

/** Programs of the system, and none of the AI programs that this machine may have. */
const BARE = { PATH: '/usr/bin:/bin' }

const list = (stdout: string): Record<string, unknown>[] => JSON.parse(stdout)

describe('ralph events', () => {
  test.concurrent('is the history of the run, each line with who wrote it (case 101)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT t 1; EMIT b.go x', 'EMIT t 2', 'EMIT t 3'])
    await run(box)
    const all = list((await box.ralph(['events', '--json'])).stdout)
    expect(all[0]).toMatchObject({ hat: 'loop', iteration: 0, topic: 'work.start', triggered: 'planner' })
    const last = list((await box.ralph(['events', '--topic', 't', '--last', '1', '--format', 'json'])).stdout)
    expect(last).toEqual([{ ts: expect.any(String), iteration: 3, hat: 'ralph', topic: 't', payload: '3' }])
    const second = list((await box.ralph(['events', '--iteration', '2', '--json'])).stdout)
    expect(second.map((row) => [row.topic, row.hat])).toEqual([
      ['t', 'b'],
      ['iteration.summary', 'loop'],
    ])
    const table = (await box.ralph(['events'])).stdout.split('\n')
    expect(table[0]).toMatch(/^time +iteration +hat +topic +wave +payload$/)
    expect(table).toHaveLength(all.length + 2)
  })

  test.concurrent('knows the workers of a wave (case 101)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    await run(box)
    const done = list((await box.ralph(['events', '--topic', 'item.*', '--json'])).stdout)
    expect(done.slice(0, 1)).toMatchObject([{ hat: 'disp', topic: 'item.go', wave_index: 0, wave_total: 3 }])
    expect(done.slice(3)).toMatchObject(
      [0, 1, 2].map((i) => ({
        hat: 'work',
        iteration: 1,
        wave_index: i,
        wave_status: 'ok',
        payload: `r${i}`,
      })),
    )
  })

  test.concurrent('reads another file too, and names its bad lines (case 101)', async () => {
    await using box = sandbox()
    box.write(
      'old.jsonl',
      '{"topic":"a"}\n{oops\n{"hat":"loop","iteration":4,"topic":"iteration.summary","payload":"{}"}\n',
    )
    const done = await box.ralph(['events', '--file', 'old.jsonl', '--json'])
    expect(list(done.stdout)).toMatchObject([
      { topic: 'a', payload: '', iteration: 4, hat: null },
      { topic: 'iteration.summary' },
    ])
    expect(done.stderr).toMatch(/\b2\b/)
    expect(await box.ralph(['events', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  test.concurrent('--clear empties the file, but not while a run holds the workspace (case 101)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, ['EMIT t; until [ -e go ]; do sleep 0.02; done; SAY LOOP_COMPLETE'])
    const started = box.start(['run', '-p', 'X'])
    await until('the agent', () => starts(box) === 1)
    const refused = await box.ralph(['events', '--clear'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    box.write('go', '')
    await started.finished
    expect(box.read(main(box))).not.toBe('')
    expect((await box.ralph(['events', '--clear'])).code).toBe(0)
    expect(box.read(main(box))).toBe('')
  })
})

describe('ralph init', () => {
  test.concurrent('writes a ralph.yml that works, once (case 22)', async () => {
    await using box = sandbox()
    expect((await box.ralph(['init', '--backend', 'claude'])).code).toBe(0)
    const dry = await box.ralph(['run', '--dry-run', '-p', 'x'])
    expect(dry).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/backend +claude/) })
    box.write('ralph.yml', 'mine: 1\n')
    expect(await box.ralph(['init', '--backend', 'claude'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--force'),
    })
    expect(box.read('ralph.yml')).toBe('mine: 1\n')
    expect((await box.ralph(['init', '--backend', 'claude', '--force'])).code).toBe(0)
    expect(box.read('ralph.yml')).toContain('backend: claude')
  })

  test.concurrent('for every backend but auto, and for none that nobody knows (case 22)', async () => {
    await using box = sandbox()
    const backends = list((await box.ralph(['plugins', '--json'])).stdout).map((row) => String(row.name))
    expect(backends).toContain('custom')
    for (const backend of backends) {
      expect((await box.ralph(['init', '--force', '--backend', backend])).code).toBe(0)
      const dry = await box.ralph(['run', '--dry-run', '-p', 'x'])
      expect(dry).toMatchObject({ code: 0, stderr: '' })
    }
    for (const backend of ['bogus', 'auto']) {
      const done = await box.ralph(['init', '--force', '--backend', backend])
      expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('claude') })
    }
  })

  test.concurrent('knows the presets, and that they are no part of it (case 22)', async () => {
    await using box = sandbox()
    configure(box, { description: 'mine', hats: {} }, 'presets/flow.yml')
    const presets = await box.ralph(['presets'])
    expect(presets.stdout).toMatch(/^flow /m)
    expect((await box.ralph(['init', '--list-presets'])).stdout).toBe(presets.stdout)
    expect((await box.ralph(['hats', 'list-presets'])).stdout).toBe(presets.stdout)
    const preset = await box.ralph(['init', '--preset', 'wave-review'])
    expect(preset.code).toBe(1)
    expect(preset.stderr).toMatch(/init --backend.*-H builtin:wave-review/)
    const bare = await box.ralph(['init'])
    expect(bare).toMatchObject({ code: 0, stdout: expect.stringContaining('--backend') })
    expect(box.exists('ralph.yml')).toBe(false)
  })
})

describe('ralph hats', () => {
  test.concurrent('validate: a start that nobody receives is a fault, the coordinator is none (case 102)', async () => {
    await using box = sandbox()
    expect((await box.ralph(['hats', 'validate'])).code).toBe(0)
    configure(box, FC({ event_loop: { starting_event: 'lost.start' } }))
    const lost = await box.ralph(['hats', 'validate'])
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('lost.start') })
    configure(box, FC({ hats: { b: { publishes: ['unheard.topic'] } } }))
    const fine = await box.ralph(['hats', 'validate'])
    expect(fine).toMatchObject({ code: 0, stderr: '' })
    expect(fine.stdout).toContain('unheard.topic goes to the coordinator')
  })

  test.concurrent('graph draws without any backend (case 102)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { a: { name: 'First "one"' } } }))
    const draw = async (...args: string[]) => box.ralph(['hats', 'graph', ...args], { env: BARE })
    expect((await draw('--format', 'unicode')).stdout).toContain(
      'First "one" (a)\n └─ b.go ─▶ b (b)\n\nb (b)\n └─ LOOP_COMPLETE ─▶ the run ends\n',
    )
    expect((await draw()).stdout).toBe((await draw('--format', 'unicode')).stdout)
    expect((await draw('--format', 'mermaid')).stdout).toMatch(/^flowchart LR\n[\s\S]*h0 -->\|"b\.go"\| h1/)
    const dot = (await draw('--format', 'dot')).stdout
    expect(dot).toMatch(/^digraph ralph \{\n[\s\S]*h0 -> h1 \[label="b\.go"\];[\s\S]*\}\n$/)
    expect(dot).toContain('label="First \\"one\\""')
    expect(JSON.parse((await draw('--json')).stdout)).toMatchObject({
      hats: [{ id: 'a', name: 'First "one"' }, { id: 'b' }],
      edges: expect.arrayContaining([
        { from: 'ralph', to: 'a', topics: ['work.start'] },
        { from: 'a', to: 'b', topics: ['b.go'] },
        { from: 'b', to: null, topics: ['LOOP_COMPLETE'] },
      ]),
    })
    expect((await draw('--format', 'ascii')).code).toBe(2)
    expect(await draw('-b', 'claude')).toMatchObject({ code: 0, stderr: expect.stringContaining('-b') })
  })

  test.concurrent('show prints one hat, and helps to find it (case 102)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { a: { name: 'First' } } }))
    const byId = await box.ralph(['hats', 'show', 'a'])
    expect(byId.code).toBe(0)
    expect(byId.stdout).toContain('instructions: You are hat a.')
    expect((await box.ralph(['hats', 'show', 'First'])).stdout).toBe(byId.stdout)
    expect(await box.ralph(['hats', 'show', 'c'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/a|b/),
    })
    expect((await box.ralph(['hats', 'show'])).code).toBe(2)
  })
})

describe('ralph clean', () => {
  /** Everything below `.ralph/`, and the runs in the state folder. */
  const left = (box: Sandbox) => ({
    files: box.exists('.ralph') ? readdirSync(box.path('.ralph')).sort() : [],
    runs: readdirSync(join(box.home, '.local/state/ralph/runs')),
  })

  async function afterRuns(box: Sandbox): Promise<void> {
    configure(box, F({ hats: { h: hat('h', { scratchpad: '.ralph/agent/h.md' }) } }))
    agentScript(
      box,
      'mkdir -p .ralph/agent .ralph/specs; echo x | tee .ralph/agent/{scratchpad,h,memories}.md > .ralph/specs/s.md; SAY LOOP_COMPLETE',
    )
    const env = { RALPH_DIAGNOSTICS: '1' }
    await run(box, [], { env })
    await run(box, [], { env })
    box.write('.ralph/wave-w-1-0.jsonl', '')
    box.write('.ralph/wave-w-1-0.rules.json', '{}')
  }

  test.concurrent('removes what runs have left, and nothing of the agents’ notes (case 103)', async () => {
    await using box = sandbox()
    await afterRuns(box)
    mkdirSync(join(box.home, '.local/state/ralph/runs/of-another-workspace'))
    const before = left(box)
    expect(before.runs).toHaveLength(3)
    const dry = await box.ralph(['clean', '--dry-run'])
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain(main(box))
    expect(dry.stdout).toContain(`runs/${runId(box)}\n`)
    expect(left(box)).toEqual(before)

    const done = await box.ralph(['clean'])
    expect(done).toMatchObject({ code: 0, stdout: dry.stdout })
    expect(left(box)).toEqual({
      files: ['.gitignore', 'agent', 'diagnostics', 'loop.lock', 'specs'],
      runs: ['of-another-workspace'],
    })
    expect(readdirSync(box.path('.ralph/agent'))).toEqual(['memories.md'])
    expect((await box.ralph(['run', '--continue', '-p', 'x'])).code).toBe(1)
  })

  test.concurrent('finds runs whose links are gone (case 103)', async () => {
    await using box = sandbox()
    await afterRuns(box)
    await box.sh('rm -rf .ralph')
    expect((await box.ralph(['clean'])).code).toBe(0)
    expect(left(box).runs).toEqual([])
  })

  test.concurrent('--diagnostics removes those alone (case 103)', async () => {
    await using box = sandbox()
    await afterRuns(box)
    const before = left(box)
    expect((await box.ralph(['clean', '--diagnostics'])).code).toBe(0)
    expect(left(box)).toEqual({ ...before, files: before.files.filter((name) => name !== 'diagnostics') })
    expect(box.exists(rundir(box, 'journal.jsonl'))).toBe(true)
  })

  test.concurrent('has nothing to do in an empty directory, and waits for no run (case 103)', async () => {
    await using box = sandbox()
    expect(await box.ralph(['clean'])).toMatchObject({ code: 0, stdout: '' })
    expect(box.exists('.ralph')).toBe(false)
    configure(box, F())
    agentScript(box, ['until [ -e go ]; do sleep 0.02; done; SAY LOOP_COMPLETE'])
    const started = box.start(['run', '-p', 'X'])
    await until('the agent', () => starts(box) === 1)
    expect((await box.ralph(['clean'])).code).toBe(1)
    box.write('go', '')
    expect((await started.finished).code).toBe(0)
  })
})

describe('ralph completions', () => {
  const complete = (box: Sandbox, ...words: string[]) =>
    box.sh(
      `source <("$RALPH_BIN" completions bash); COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _ralph; echo "\${COMPREPLY[*]}"`,
    )

  test.concurrent('complete commands, flags and the words that flags take (case 104)', async () => {
    await using box = sandbox()
    expect((await complete(box, 'ralph', 'wave', 'e')).stdout).toBe('emit\n')
    expect((await complete(box, 'ralph', 'wave', 'emit', '--payloads-')).stdout).toBe('--payloads-file\n')
    expect((await complete(box, 'ralph', 'hats', 'graph', '--format', 'm')).stdout).toBe('mermaid\n')
    box.write('some-file', '')
    expect((await complete(box, 'ralph', 'run', '-P', 'some')).stdout).toBe('some-file\n')
  })

  test.concurrent.each(['bash', 'zsh', 'fish'])(
    '%s: a reader that has enough is no error (case 104)',
    async (shell) => {
      await using box = sandbox()
      const done = await box.sh(`set -o pipefail; "$RALPH_BIN" completions ${shell} | head -1`)
      expect(done).toMatchObject({ code: 0, stderr: '' })
      const whole = await box.ralph(['completions', shell])
      expect(whole.stdout).toContain('payloads-file')
      const syntax = await box.sh(
        `command -v ${shell} > found || exit 0; "$RALPH_BIN" completions ${shell} > c; ${shell} -n c`,
      )
      expect(syntax).toMatchObject({ code: 0, stderr: '' })
    },
  )

  test.concurrent('for other shells there are none (case 104)', async () => {
    await using box = sandbox()
    expect(await box.ralph(['completions', 'powershell'])).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('what is not there', () => {
  test.concurrent('is said (case 104)', async () => {
    await using box = sandbox()
    const tools = await box.ralph(['tools', 'task', 'list'])
    expect(tools).toMatchObject({ code: 2, stderr: expect.stringContaining('not available') })
    const rpc = await box.ralph(['run', '--rpc'])
    expect(rpc).toMatchObject({ code: 2, stderr: expect.stringContaining('--json') })
  })
})

describe('ralph doctor', () => {
  test.concurrent('fails without the backend, and names each program (case 104)', async () => {
    await using box = sandbox()
    const done = await box.ralph(['doctor'], { env: BARE })
    expect(done.code).toBe(1)
    for (const program of ['claude', 'gemini']) {
      expect(done.stdout).toMatch(new RegExp(`^backend ${program} .*${program}`, 'm'))
    }
    expect(box.exists('.ralph')).toBe(false)
  })

  test.concurrent('is content where all that the config names is there (case 104)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { b: { backend: { command: './b.sh' } } } }))
    agentScript(box, 'SAY LOOP_COMPLETE')
    const missing = await box.ralph(['doctor', '--json'], { env: BARE })
    expect(missing.code).toBe(1)
    expect(list(missing.stdout).filter((row) => row.state === 'fail')).toMatchObject([
      { check: 'program ./b.sh' },
    ])
    agentScript(box, 'SAY LOOP_COMPLETE', 'b.sh')
    expect((await box.ralph(['doctor'], { env: BARE })).code).toBe(0)
    expect(starts(box)).toBe(0)
  })

  test.concurrent('shows faults of the config (case 104)', async () => {
    await using box = sandbox()
    configure(box, { event_lop: {} })
    const done = await box.ralph(['doctor', '--json'])
    expect(done.code).toBe(1)
    expect(list(done.stdout)[0]).toMatchObject({
      check: 'config',
      state: 'fail',
      detail: expect.stringContaining('event_loop'),
    })
  })
})

test.concurrent('plugins lists the known backends (case 104)', async () => {
  await using box = sandbox()
  const rows = list((await box.ralph(['plugins', '--format', 'json'])).stdout)
  expect(rows.map((row) => row.name)).toEqual(expect.arrayContaining(['claude', 'custom', 'gemini', 'mock']))
})

test.concurrent('presets show prints a collection that -H takes back', async () => {
  await using box = sandbox()
  const shown = await box.ralph(['presets', 'show', 'wave-review'])
  box.write('presets/mine.yml', shown.stdout)
  const own = await box.ralph(['hats', 'list', '--json', '-H', 'mine'])
  expect(own.stdout).toBe((await box.ralph(['hats', 'list', '--json', '-H', 'builtin:wave-review'])).stdout)
  expect((await box.ralph(['presets', 'show', 'mine'])).stdout).toBe(shown.stdout)
  expect(await box.ralph(['presets', 'show', 'nope'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('wave-review'),
  })
})

test.concurrent('config schema is JSON Schema', async () => {
  await using box = sandbox()
  const schema = JSON.parse((await box.ralph(['config', 'schema'])).stdout)
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(schema.properties.event_loop.properties.max_iterations.type).toEqual(['integer', 'null'])
})

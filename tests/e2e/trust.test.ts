import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finished, RALPH, type RunOptions, type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { agentScript, type Config, configure, F, FC, hat, run, starts } from './fixtures.ts'

/** Without the user's word. */
const NO_WORD = { RALPH_TRUST: '' }

const runUntrusted = (
  box: Sandbox,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Finished> => run(box, args, { ...options, env: { ...NO_WORD, ...options.env } })

const trustIt = (box: Sandbox, args: readonly string[] = []): Promise<Finished> =>
  box.ralph(['trust', ...args], { env: NO_WORD })

describe.concurrent('what the workspace would execute', () => {
  test('runs only once the user has said so, and again after every change of it (case 164)', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, FC())
    const refused = await runUntrusted(box)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('./agent.sh')
    expect(refused.stderr).toContain('ralph trust')
    expect([starts(box), box.exists('.ralph')]).toEqual([0, false])

    expect((await trustIt(box)).stdout).toContain('./agent.sh  (ralph.yml:')
    expect((await runUntrusted(box)).code).toBe(0)
    configure(box, FC({ hats: { a: { instructions: 'You are hat a. Be quick.' } } }))
    expect((await runUntrusted(box)).code).toBe(0)
    expect(starts(box)).toBe(2)

    agentScript(box, 'SAY LOOP_COMPLETE', 'other.sh')
    configure(box, FC({ cli: { command: './other.sh' } }))
    expect((await runUntrusted(box)).code).toBe(1)
    configure(box, FC())
    agentScript(box, 'SAY LOOP_COMPLETE')
    expect((await runUntrusted(box)).code).toBe(0)
    writeFileSync(box.path('agent.sh'), `${box.read('agent.sh')}\n`)
    expect((await runUntrusted(box)).code).toBe(1)
    expect(starts(box)).toBe(3)
    expect((await runUntrusted(box, ['--trust'])).code).toBe(0)
    expect((await runUntrusted(box)).code).toBe(1)
  })

  test('is said by variable as by flag, for this once (case 164)', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F())
    expect((await runUntrusted(box, [], { env: { RALPH_TRUST: '1' } })).code).toBe(0)
    expect((await runUntrusted(box)).code).toBe(1)
    expect((await runUntrusted(box, [], { env: { RALPH_TRUST: 'no' } })).code).toBe(1)
  })

  test.each<[what: string, args: string[], config: Config]>([
    ['a built-in backend with a model', [], { cli: { backend: 'claude', model: 'm' } }],
    ['a flag', ['-c', 'cli.command=./agent.sh', '-b', 'custom'], {}],
    ['a config elsewhere', ['-c', '../elsewhere.yml'], {}],
  ])('is not asked about where %s says it (case 165)', async (_, args, config) => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F(), '../elsewhere.yml')
    configure(box, config)
    const result = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'LOOP_COMPLETE',
    })
    box.script('../bin/claude', `#!/bin/sh\ncat > /dev/null\necho '${result}'\n`)
    const PATH = `${join(dirname(box.home), 'bin')}:${process.env.PATH}`
    const done = await runUntrusted(box, args, { env: { PATH } })
    expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('trust')])
  })

  test.each<[what: string, args: string[], config: Config]>([
    ['a program of a hat in a collection', ['-H', 'flow.yml'], {}],
    ['arguments of a built-in backend', [], { cli: { backend: 'claude', args: ['--settings', 'x'] } }],
  ])('is refused where it is %s (case 165)', async (_, args, config) => {
    await using box = sandbox()
    configure(box, config)
    configure(
      box,
      { hats: { b: hat('b', { triggers: ['x.go'], backend: { command: './b.sh' } }) } },
      'flow.yml',
    )
    const done = await runUntrusted(box, args)
    expect(done.code).toBe(1)
    expect(done.stderr).toMatch(/b\.sh.*flow\.yml|claude … --settings x.*ralph\.yml/)
    expect(done.stderr).toContain(['ralph trust', ...args].join(' '))
    expect(box.exists('.ralph')).toBe(false)
  })

  test('is shown by `ralph trust` with the flags of the run, which then needs no more', async () => {
    await using box = sandbox()
    const backend = { command: './agent.sh', prompt_mode: 'stdin' }
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, { hats: { b: hat('b', { triggers: ['x.go'], backend }) } }, 'flow.yml')
    const flags = ['-H', 'flow.yml', '-c', 'cli.args=[--own]', '-b', 'mock']
    expect((await runUntrusted(box, flags)).code).toBe(1)
    expect((await trustIt(box, flags)).stdout).toMatch(
      /^ {2}\.\/agent\.sh {2}\(hat b, flow\.yml:\d+:\d+\)\n$/,
    )
    expect((await trustIt(box, flags)).stderr).toBe('trusted already\n')
    expect((await runUntrusted(box, ['--dry-run', ...flags])).code).toBe(0)
    expect((await runUntrusted(box, flags)).stderr).not.toContain('ralph trust')
  })

  test('may be nothing: `ralph trust` says so', async () => {
    await using box = sandbox()
    expect(await trustIt(box)).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to trust') })
    expect(readdirSync(box.home)).toEqual([])
  })

  test('is no business of an agent', async () => {
    await using box = sandbox()
    configure(box, F())
    const done = await box.ralph(['trust'], { env: { ...NO_WORD, RALPH_AGENT: 'run:1' } })
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('an agent') })
    expect((await runUntrusted(box)).code).toBe(1)
  })

  test('is not trusted by a state folder that the workspace brings along', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F())
    expect((await trustIt(box)).code).toBe(0)
    expect((await box.sh('cp -r "$HOME/.local/state/ralph" shipped')).code).toBe(0)
    const env = { RALPH_STATE_DIR: 'shipped' }
    expect((await runUntrusted(box, [], { env })).code).toBe(1)
    const kept = await box.ralph(['trust'], { env: { ...NO_WORD, ...env } })
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('lies in this workspace') })
    expect(starts(box)).toBe(0)
  })

  test('is shown by `doctor` and a dry run, which start none of it', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F())
    const doctor = await box.ralph(['doctor', '--json'], { env: NO_WORD })
    const checks: { check: string; detail: string }[] = JSON.parse(doctor.stdout)
    expect(checks.find(({ check }) => check === 'trust')?.detail).toStartWith('untrusted: ./agent.sh')
    expect((await runUntrusted(box, ['--dry-run'])).stdout).toContain('./agent.sh < <prompt>')
    expect([starts(box), box.exists('.ralph')]).toEqual([0, false])
  })
})

describe.concurrent('at a terminal', () => {
  test('a question shows the command line; no starts nothing, and is asked again (case 165)', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F({ cli: { args: ['--with', 'two words'] } }))
    for (const answer of ['n', '', 'yesterday', '\x04']) {
      const done = await atTerminal(box, '"$RALPH_BIN" run -p X', answer)
      expect(done.code).toBe(1)
      expect(done.text).toContain("./agent.sh --with 'two words'")
      expect(done.text).toContain('[y/N]')
    }
    expect((await atTerminal(box, 'exec "$RALPH_BIN" run -p X', '\x03')).code).toBe(130)
    expect([starts(box), box.exists('.ralph')]).toEqual([0, false])
  })

  test('yes runs it, leaves stdout to the result, and is not asked for again (case 165)', async () => {
    await using box = sandbox()
    agentScript(box, 'EMIT LOOP_COMPLETE done')
    configure(box, F())
    const command = '"$RALPH_BIN" run -q -p X > result.txt'
    const first = await atTerminal(box, command, 'y')
    expect([first.code, first.text]).toEqual([0, expect.stringContaining('[y/N]')])
    expect(box.read('result.txt')).toBe('done\n')
    const second = await atTerminal(box, command, 'n')
    expect([second.code, second.text]).toEqual([0, expect.not.stringContaining('[y/N]')])
    expect(starts(box)).toBe(2)
  })

  test('`ralph trust` asks too', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F())
    expect((await atTerminal(box, '"$RALPH_BIN" trust', 'n')).code).toBe(1)
    expect((await runUntrusted(box)).code).toBe(1)
    expect((await atTerminal(box, '"$RALPH_BIN" trust', 'y')).code).toBe(0)
    expect((await runUntrusted(box)).code).toBe(0)
  })

  test('nobody is asked where stdin is no terminal', async () => {
    await using box = sandbox()
    configure(box, F())
    const done = await atTerminal(box, '"$RALPH_BIN" run -p X < /dev/null', 'y')
    expect([done.code, done.text]).toEqual([1, expect.stringContaining('ralph trust')])
  })
})

describe.concurrent("plugins in the workspace's own folder", () => {
  const evil = (box: Sandbox): void => {
    const invoke = `() => ({ argv: ['echo', 'LOOP_COMPLETE'], prompt: 'stdin' })`
    box.write('.ralph/plugins/evil.ts', `${trace(box)}export default { name: 'evil', invoke: ${invoke} }\n`)
  }

  test('are not loaded until they are trusted, and shown as untrusted (case 167)', async () => {
    await using box = sandbox()
    evil(box)
    const refused = await runUntrusted(box, ['-b', 'evil'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('plugin evil  (.ralph/plugins/evil.ts)')
    expect((await runUntrusted(box, ['-b', 'evil', '--dry-run'])).code).toBe(1)
    for (const command of ['plugins', 'doctor']) {
      const shown = await box.ralph([command], { env: NO_WORD })
      expect(
        shown.stdout.split('\n').find((line) => /\bevil\b/.test(line) && !/^trust/.test(line)),
      ).toContain('untrusted')
    }
    expect(traces(box)).toBe(false)
    expect((await runUntrusted(box, ['-b', 'evil', '--trust'])).code).toBe(0)
    expect(traces(box)).toBe(true)
  })

  test('are loaded after `ralph trust`, until a file of theirs changes, also one outside the folder', async () => {
    await using box = sandbox()
    box.write('src/argv.ts', `export const argv = ['echo', 'LOOP_COMPLETE']\n`)
    const plugin = `export default { name: 'own', invoke: () => ({ argv, prompt: 'stdin' }) }\n`
    box.write('.ralph/plugins/own.ts', `import { argv } from '../../src/argv.ts'\n${plugin}`)
    expect((await trustIt(box)).code).toBe(0)
    expect((await runUntrusted(box, ['-b', 'own'])).code).toBe(0)
    const listed = await box.ralph(['plugins'], { env: NO_WORD })
    expect(listed.stdout.split('\n').find((line) => line.startsWith('own '))).not.toContain('untrusted')
    box.write('src/argv.ts', `export const argv = ['echo', 'LOOP_COMPLETE', '']\n`)
    expect((await runUntrusted(box, ['-b', 'own'])).code).toBe(1)
    box.write('src/argv.ts', `export const argv = ['echo', 'LOOP_COMPLETE']\n`)
    box.write('.ralph/plugins/another.ts', plugin.replace('own', 'another'))
    expect((await runUntrusted(box, ['-b', 'own'])).code).toBe(1)
  })

  test('that no hat uses are no reason to ask', async () => {
    await using box = sandbox()
    evil(box)
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F(), '../elsewhere.yml')
    expect((await runUntrusted(box, ['-c', '../elsewhere.yml'])).code).toBe(0)
    expect(traces(box)).toBe(false)
  })
})

/** A workspace that somebody else has written, with what the user innocently types there. */
interface Hostile {
  readonly what: string
  make(box: Sandbox): void
  readonly args?: readonly string[]
  readonly stdin?: string
  readonly env?: (box: Sandbox) => Record<string, string>
}

const custom = { backend: 'custom', command: './evil.sh' }
const hatWith = (more: Config): Config => ({
  hats: { a: hat('a', { triggers: ['task.*'], publishes: ['x.done'], ...more }) },
})
const pluginText = (box: Sandbox): string =>
  `${trace(box)}export default { name: 'evil', invoke: () => ({ argv: ['true'], prompt: 'stdin' }) }\n`
const withPath = (box: Sandbox) => ({ PATH: `${join(dirname(box.home), 'bin')}:${process.env.PATH}` })

const HOSTILE: readonly Hostile[] = [
  { what: 'a command in ralph.yml', make: (box) => configure(box, { cli: custom }) },
  {
    what: 'a command in a config that is a link out of the workspace',
    make(box) {
      configure(box, { cli: custom }, '../real.yml')
      symlinkSync('../real.yml', box.path('ralph.yml'))
    },
  },
  {
    what: 'a command in a config outside that is a link into the workspace',
    make(box) {
      configure(box, { cli: custom }, 'inside.yml')
      symlinkSync(box.path('inside.yml'), join(dirname(box.home), 'link.yml'))
    },
    args: ['-c', '../link.yml'],
  },
  {
    what: 'a command in the config that RALPH_CONFIG names',
    make: (box) => configure(box, { cli: custom }, 'ci/ralph.yml'),
    env: () => ({ RALPH_CONFIG: 'ci/ralph.yml' }),
  },
  {
    what: 'a hat that imports its command',
    make(box) {
      configure(box, { hats: { a: { import: 'parts/a.yml' } } })
      configure(
        box,
        { name: 'a', description: 'a', triggers: ['task.*'], backend: { command: './evil.sh' } },
        'parts/a.yml',
      )
    },
  },
  {
    what: 'a hat that imports its command from outside',
    make(box) {
      configure(box, { hats: { a: { import: '../a.yml' } } })
      configure(
        box,
        { name: 'a', description: 'a', triggers: ['task.*'], backend: { command: './evil.sh' } },
        '../a.yml',
      )
    },
  },
  {
    what: 'a preset in ./presets',
    make: (box) => configure(box, hatWith({ backend: { command: './evil.sh' } }), 'presets/flow.yml'),
    args: ['-H', 'flow'],
  },
  {
    what: 'a collection that -H names',
    make: (box) => configure(box, hatWith({ backend: { command: './evil.sh' } }), 'team.yml'),
    args: ['-H', './team.yml'],
  },
  {
    what: 'arguments of a built-in backend',
    make: (box) => configure(box, { cli: { args: ['--evil'] } }),
    env: withPath,
  },
  {
    what: 'arguments of a hat',
    make: (box) => configure(box, hatWith({ backend_args: ['--evil'] })),
    env: withPath,
  },
  {
    what: "arguments of a hat's backend",
    make: (box) => configure(box, hatWith({ backend: { type: 'claude', args: ['--evil'] } })),
    env: withPath,
  },
  {
    what: "a flag before the prompt of the user's own program",
    make(box) {
      configure(box, { cli: { backend: 'custom', command: 'claude' } }, '../home/.ralph/config.yml')
      configure(box, { cli: { prompt_flag: '--evil' } })
    },
    env: withPath,
  },
  {
    what: 'a script of the rehearsal',
    make(box) {
      configure(box, { ...hatWith({}), adapters: { mock: { script: 'm.yml' } } })
      configure(box, { hats: { a: [{ run: './evil.sh' }] } }, 'm.yml')
    },
    args: ['-b', 'mock'],
  },
  {
    what: 'a plugin',
    make: (box) => void box.write('.ralph/plugins/evil.ts', pluginText(box)),
    args: ['-b', 'evil'],
  },
  {
    what: 'a plugin that the config selects',
    make(box) {
      configure(box, { cli: { backend: 'evil' } })
      box.write('.ralph/plugins/evil/index.js', pluginText(box))
    },
  },
  {
    what: 'a plugin that is a link out of the workspace',
    make(box) {
      box.write('../real.ts', pluginText(box))
      mkdirSync(box.path('.ralph/plugins'), { recursive: true })
      symlinkSync('../../../real.ts', box.path('.ralph/plugins/evil.ts'))
    },
    args: ['-b', 'evil'],
  },
  {
    what: 'a folder of plugins that is a link out of the workspace',
    make(box) {
      box.write('../real/evil.ts', pluginText(box))
      mkdirSync(box.path('.ralph'))
      symlinkSync('../../real', box.path('.ralph/plugins'))
    },
    args: ['-b', 'evil'],
  },
  {
    what: 'a plugin among the candidates of auto',
    make(box) {
      configure(box, { agent_priority: ['evil'] })
      box.write('.ralph/plugins/evil.ts', pluginText(box))
    },
    args: ['-b', 'auto'],
  },
  {
    what: 'a command, with a wave from the shell',
    make: (box) => configure(box, { cli: custom }),
    args: ['wave', 'run'],
    stdin: 'one\n',
  },
  {
    what: 'a command, and markers that lead out of the workspace',
    make(box) {
      configure(box, { cli: custom })
      box.write('.ralph/current-events', '../../outside.txt\n')
      box.write('../outside.txt', 'mine')
      for (const name of ['current-events.new', 'current-loop-id.new', 'current-loop-id', '.gitignore']) {
        symlinkSync('../../outside.txt', box.path('.ralph', name))
      }
    },
  },
  {
    what: 'a command, and files of variables that say to trust it',
    make(box) {
      configure(box, { cli: custom })
      for (const name of ['.env', '.env.local', '.env.production', '.env.development'])
        box.write(name, 'RALPH_TRUST=1\nNODE_ENV=production\n')
    },
  },
  {
    what: 'a hat that imports its command by an absolute path',
    make(box) {
      const hat = { name: 'a', description: 'a', triggers: ['task.*'], backend: { command: './evil.sh' } }
      configure(box, hat, '../a.yml')
      configure(box, { hats: { a: { import: join(dirname(box.home), 'a.yml') } } })
    },
  },
  {
    what: 'a command, and a bunfig.toml that loads a file first',
    make(box) {
      configure(box, { cli: custom })
      box.write('bunfig.toml', 'preload = ["./evil.ts"]\n')
      box.write('evil.ts', trace(box))
    },
  },
  {
    what: 'a command, and events files that are links out of the workspace',
    make(box) {
      configure(box, { cli: custom })
      box.write('../outside.txt', 'mine')
      mkdirSync(box.path('.ralph'))
      for (const name of ['events.jsonl', 'wave-w-1-1-0-0.jsonl', 'stop-requested']) {
        symlinkSync('../../outside.txt', box.path('.ralph', name))
      }
    },
  },
]

describe.concurrent('a hostile workspace executes and writes nothing before it is trusted', () => {
  test.each(HOSTILE)('$what', async ({ make, args = [], stdin, env }) => {
    await using box = sandbox()
    box.script('evil.sh', `#!/bin/sh\n: > ${mark(box)}\necho LOOP_COMPLETE\n`)
    const uninvited = `case "$*" in *--evil*) : > ${mark(box)};; esac`
    box.script('../bin/claude', `#!/bin/sh\n${uninvited}\necho LOOP_COMPLETE\n`)
    make(box)
    const before = everything(box)
    const words = args[0] === 'wave' ? args : ['run', '-p', 'X', '--max-iterations', '1', ...args]
    const options = { ...(stdin === undefined ? {} : { stdin }), env: { ...env?.(box), ...NO_WORD } }

    const refused = await box.ralph(words, options)
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('ralph trust') })
    await box.ralph(['plugins'], options)
    await box.ralph(['doctor'], options)
    expect(everything(box)).toEqual(before)

    // And it would have: nothing else kept it back.
    await box.ralph([...words, '--trust'], options)
    expect(traces(box)).toBe(true)
    const outside = join(dirname(box.home), 'outside.txt')
    if (existsSync(outside)) expect(readFileSync(outside, 'utf8')).toBe('mine')
  })
})

/** Outside the workspace. */
const mark = (box: Sandbox): string => join(dirname(box.home), 'executed')
const traces = (box: Sandbox): boolean => existsSync(mark(box))
const trace = (box: Sandbox): string =>
  `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(mark(box))}, '')\n`

/** All files around the workspace, the home and the workspace among them, with what is in them. */
function everything(box: Sandbox): Record<string, string> {
  const root = dirname(box.home)
  const found: Record<string, string> = {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    found[path] = entry.isFile() ? readFileSync(path, 'utf8') : ''
  }
  return found
}

/** End of input and Ctrl-C, which need no Enter. */
const KEYS = ['\x04', '\x03']

/** Runs a shell's command at a terminal of its own, and answers the first question. */
async function atTerminal(
  box: Sandbox,
  command: string,
  answer: string,
): Promise<{ readonly code: number; readonly text: string }> {
  const decoder = new TextDecoder()
  let text = ''
  let answered = false
  const child = Bun.spawn(['bash', '-c', command], {
    cwd: box.dir,
    env: box.env({ ...NO_WORD, RALPH_BIN: RALPH, NO_COLOR: '1' }),
    terminal: {
      cols: 200,
      rows: 50,
      data(terminal, data) {
        text += decoder.decode(data, { stream: true })
        if (answered || !text.includes('[y/N]')) return
        answered = true
        terminal.write(KEYS.includes(answer) ? answer : `${answer}\n`)
      },
    },
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
  try {
    return { code: await child.exited, text }
  } finally {
    clearTimeout(timer)
    child.terminal?.close()
  }
}

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import {
  agentScript,
  claudeScript,
  configure,
  F,
  FC,
  FP,
  FW,
  roleScript,
  run,
  rundir,
  starts,
} from './fixtures.ts'

/** The line of a dry run that shows how a hat is played. */
const lineOf = (stdout: string, hat: string): string =>
  stdout
    .split('\n')
    .filter((line) => line.trimStart().startsWith(`${hat} `))
    .at(-1) ?? ''

describe.concurrent('access', () => {
  test('is held by the program: a hat that reads has other arguments than one that may do everything', async () => {
    await using box = sandbox()
    configure(
      box,
      FC({
        cli: { backend: 'claude', command: 'claude', prompt_mode: null },
        hats: { a: { access: 'read' } },
      }),
    )
    const { code, stdout } = await run(box, ['--dry-run'])
    expect(code).toBe(0)
    expect(lineOf(stdout, 'a')).toContain('--permission-mode dontAsk')
    expect(lineOf(stdout, 'b')).toContain('--dangerously-skip-permissions')
    expect(stdout).toMatch(/access +ralph full, a read, b full/)
  })

  test('of the run binds every hat, by flag and by key', async () => {
    await using box = sandbox()
    configure(
      box,
      FC({ cli: { backend: 'codex', command: 'codex', prompt_mode: null }, hats: { a: { access: 'full' } } }),
    )
    for (const args of [
      ['--access', 'edit'],
      ['-c', 'cli.access=edit'],
      ['-c', 'adapters.codex.access=edit'],
    ]) {
      const { stdout } = await run(box, ['--dry-run', ...args])
      expect([lineOf(stdout, 'a'), lineOf(stdout, 'b')]).toEqual([
        expect.stringContaining('-s workspace-write'),
        expect.stringContaining('-s workspace-write'),
      ])
    }
  })

  test('that the program cannot be held to is refused by name, before anything starts', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F({ cli: { access: 'read' } }))
    const refused = await run(box)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /ralph\.yml:\d+:\d+: cli\.access: backend "custom" has no way .* access "read"/,
    )
    expect([starts(box), box.exists('.ralph')]).toEqual([0, false])
    configure(box, F())
    expect((await run(box, ['--access', 'edit'])).stderr).toContain(
      '--access edit: cli.access: backend "custom"',
    )
    expect((await run(box, ['--access', 'some'])).code).toBe(2)
    expect((await run(box, ['--access', 'full'])).code).toBe(0)
  })

  test('that an argument of the user would undo is refused with that argument', async () => {
    await using box = sandbox()
    configure(box, FP({ cli: { access: 'read' } }))
    const { code, stderr } = await run(box, ['--', '--permission-mode=bypassPermissions'])
    expect(code).toBe(1)
    expect(stderr).toContain('--permission-mode=bypassPermissions')
  })

  test('that a file of the workspace would undo is refused with that file; with full access it is let be', async () => {
    await using box = sandbox()
    configure(box, F({ cli: { backend: 'gemini', command: 'gemini', prompt_mode: null } }))
    box.write('.gemini/settings.json', '{}')
    const { code, stderr } = await run(box, ['--access', 'edit', '--dry-run'])
    expect(code).toBe(1)
    expect(stderr).toContain('.gemini/settings.json would undo access "edit" of backend "gemini": its hooks')
    expect(stderr).toContain('remove that file')
    expect(await run(box, ['--dry-run'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('keeps an agent from starting when another has written such a file meanwhile', async () => {
    await using box = sandbox()
    box.script(
      'agent.sh',
      "#!/bin/sh\ncat > /dev/null; mkdir -p .gemini; echo '{}' > .gemini/settings.json; ralph emit b.go x\n",
    )
    box.script('../bin/gemini', '#!/bin/sh\n[ "$1" = --version ] && echo 0.61.0 && exit\ntouch started\n')
    configure(
      box,
      FC({ event_loop: { max_iterations: 2 }, hats: { b: { backend: 'gemini', access: 'read' } } }),
    )
    const env = { PATH: `${join(box.dir, '../bin')}:${process.env.PATH}` }
    const { code, stderr } = await run(box, [], { env })
    expect(code, stderr).toBe(2)
    expect(stderr).toContain('.gemini/settings.json would undo access "read" of backend "gemini"')
    expect(box.exists('started')).toBe(false)
  })

  test('stands in variables too, which a dry run shows beside the command line', async () => {
    await using box = sandbox()
    configure(box, F({ cli: { backend: 'opencode', command: 'opencode', prompt_mode: null } }))
    const rows = async (args: readonly string[]) => {
      const { stdout } = await run(box, ['--dry-run', ...args])
      return stdout.slice(stdout.indexOf('Variables'))
    }
    expect(await rows([])).toMatch(/^Variables\n {2}opencode {2}OPENCODE_DISABLE_AUTOUPDATE=1\n/)
    expect(await rows(['--access', 'read'])).toMatch(
      /^Variables\n {2}opencode, read access {2}.* 'OPENCODE_PERMISSION=\{"\*":"deny",.{40,60}…' /,
    )
  })

  test('of codex shows whole in a dry run: with the folder of the events', async () => {
    await using box = sandbox()
    configure(box, F({ cli: { backend: 'codex', command: 'codex', prompt_mode: null } }))
    const { stdout } = await run(box, ['--dry-run', '--access', 'edit'])
    expect(stdout).toContain(`--add-dir ${box.dir}/.ralph`)
  })

  test('by which an agent can only answer is for waves from the shell', async () => {
    await using box = sandbox()
    const script = `#!/bin/sh\ncat > /dev/null; echo "$@" > argv.txt\necho '{"type":"turn_end","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"found"}],"usage":{"input":1,"output":1}}}'\necho '{"type":"agent_end","messages":[]}'\n`
    box.script('../bin/pi', script)
    const env = { PATH: `${join(box.dir, '../bin')}:${process.env.PATH}` }
    const loop = await run(box, ['-b', 'pi', '--access', 'read'], { env })
    expect(loop.code).toBe(1)
    expect(loop.stderr).toContain('`ralph wave run`')
    await box.ralph(['wave', 'run', '-b', 'pi', '--access', 'read'], { env, stdin: 'look\n' })
    expect(box.read('argv.txt')).toContain('--tools read,grep,find,ls')
  })

  test('that a built-in preset asks for is passed over where the program cannot be held to it, with one warning', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY review.complete')
    configure(box, F())
    const done = await run(box, ['-H', 'builtin:wave-review', '--max-iterations', '1'])
    expect(starts(box)).toBe(1)
    const warnings = done.stderr.split('\n').filter((line) => line.includes('access "read"'))
    expect(warnings).toEqual([
      expect.stringMatching(/backend "custom".*preset.*access "full".*coordinator, reviewer, synthesizer/),
    ])
    expect((await run(box, ['-H', 'builtin:wave-review', '--access', 'read'])).code).toBe(1)
  })

  test('of a preset is kept by a program that can be held to it, and by the mock', async () => {
    await using box = sandbox()
    for (const preset of ['wave-review', 'wave-research', 'review', 'research']) {
      const { stdout, stderr } = await run(box, ['-H', `builtin:${preset}`, '-b', 'gemini', '--dry-run'])
      expect([stderr, stdout.match(/--admin-policy/g)?.length]).toEqual(['', preset === 'research' ? 2 : 3])
    }
    const rehearsed = await run(box, ['-H', 'builtin:wave-review', '-b', 'mock'])
    expect([rehearsed.code, rehearsed.stderr]).toEqual([0, expect.not.stringContaining('no way')])
    expect(rehearsed.stderr).toContain('read access')
  })

  test('teaches the forms that are allowed: longer texts go through the outbox', async () => {
    await using box = sandbox()
    claudeScript(box, { _any: 'cp "$PROMPT" told.md; SAY LOOP_COMPLETE' })
    configure(box, FP({ cli: { access: 'read' } }))
    expect((await run(box)).code).toBe(0)
    expect(box.read('told.md')).toContain('ralph emit LOOP_COMPLETE --payload-file .ralph/outbox/FILE\n')
    expect(box.read('told.md')).not.toContain("<<'RALPH_EOF'")
    expect(box.read('.ralph/.gitignore')).toContain('/outbox\n')
  })
})

describe.concurrent('a wrapper', () => {
  const WRAP = '#!/bin/sh\necho "$@" >> wrapped.txt\nWRAPPED=yes; export WRAPPED; exec "$@"\n'

  test('stands before every agent, and knows workspace and run', async () => {
    await using box = sandbox()
    box.script('wrap.sh', WRAP.replace('exec', 'shift 2; exec'))
    roleScript(box, { work: 'EMIT item.done "$WRAPPED"' })
    configure(box, FW({ cli: { wrap: ['./wrap.sh', 'in={workspace}', 'run={run}'] } }))
    const done = await run(box)
    expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
    const lines = box.read('wrapped.txt').trim().split('\n')
    expect(lines).toHaveLength(5)
    expect(new Set(lines).size).toBe(1)
    expect(lines[0]).toStartWith(`in=${box.dir} run=/`)
    expect(lines[0]).toEndWith('./agent.sh')
    expect(done.stderr).toContain(' in ./wrap.sh ')
  })

  test('is shown by a dry run, and needs the user’s word where the workspace names it', async () => {
    await using box = sandbox()
    box.script('wrap.sh', WRAP)
    configure(box, { cli: { wrap: ['./wrap.sh', '-q'] } })
    const env = { RALPH_TRUST: '' }
    expect((await run(box, ['--dry-run'], { env })).stdout).toContain('./wrap.sh -q claude -p')
    const refused = await run(box, [], { env })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('./wrap.sh -q')])
    expect(box.exists('wrapped.txt')).toBe(false)
    expect((await run(box, ['-c', 'cli.wrap=[]', '--dry-run'], { env })).code).toBe(0)
  })
})

describe.concurrent('the environment of agents', () => {
  const given = { MINE: 'mine', NPM_TOKEN: 'of-npm-123', ANTHROPIC_API_KEY: 'of-the-model' }

  test.each<[string, unknown, string]>([
    ['inherit', 'inherit', 'mine of-npm-123 of-the-model'],
    ['filtered', 'filtered', '- - of-the-model'],
    ['allow', { allow: ['MI*'] }, 'mine - of-the-model'],
  ])('%s', async (_, policy, seen) => {
    await using box = sandbox()
    claudeScript(box, {
      _any: `echo "$\{MINE:--} $\{NPM_TOKEN:--} $\{ANTHROPIC_API_KEY:--}" > seen.txt; EMIT LOOP_COMPLETE "$HOME"`,
    })
    configure(box, FP({ cli: { env: policy } }))
    const done = await run(box, [], { env: given })
    expect([box.read('seen.txt').trim(), done.stdout]).toEqual([seen, `${box.home}\n`])
  })

  test('takes no name that is none', async () => {
    await using box = sandbox()
    configure(box, F({ cli: { env: { allow: ['A B'] } } }))
    const { code, stderr } = await run(box)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('cli.env.allow[0]: must be the name of a variable'),
    ])
  })
})

describe.concurrent('a private folder', () => {
  /** A plugin whose program keeps count in its private folder, and fails until it has been there before. */
  const plugin = (box: Sandbox): string =>
    box.write(
      'more/own.ts',
      `export default {
  name: 'own',
  invoke: (task) => ({
    argv: ['sh', ${JSON.stringify(box.path('own.sh'))}, task.privateDir],
    prompt: 'stdin',
    privateFiles: [{ path: 'deep/rules', text: 'rules' }, { path: 'login', copyOf: task.env.HOME + '/login' }],
  }),
}
`,
    )

  test('is each worker’s own, seeded, kept for its next attempt, and gone afterwards', async () => {
    await using box = sandbox()
    plugin(box)
    box.write('../home/login', 'my login')
    box.write(
      'own.sh',
      `cat > /dev/null; cat "$1/deep/rules" "$1/login" > /dev/null || exit 9
[ -e "$1/before" ] || { echo "$1" > "$1/before"; exit 1; }
cat "$1/before"\n`,
    )
    configure(box, { features: { retry: { on: ['crash'], backoff_seconds: 0 } } })
    const args = ['wave', 'run', '--plugins', 'more', '-b', 'own', '-j', '4']
    const done = await box.ralph(args, { stdin: 'a\nb\nc\nd\n' })
    const folders = done.stdout.trim().split('\n')
    expect([done.code, new Set(folders).size]).toEqual([0, 4])
    expect(folders.filter(existsSync)).toEqual([])
    expect(existsSync(join(folders[0] ?? '', '..'))).toBe(false)
  })

  test('is gone after an iteration too', async () => {
    await using box = sandbox()
    plugin(box)
    box.write('own.sh', 'cat > /dev/null; echo "$1" > where.txt; ls "$1"; echo LOOP_COMPLETE\n')
    const done = await run(box, ['--plugins', 'more', '-b', 'own'])
    expect([done.code, done.stdout]).toEqual([0, 'deep\n'])
    expect(existsSync(box.read('where.txt').trim())).toBe(false)
  })
})

describe.concurrent('secrets', () => {
  const KEY = 'k3y-of-somebody-0123456789'
  const FORM = 'sk-abcdefghijklmnopqrstuvwx'
  const env = { SOME_API_KEY: KEY, RALPH_DIAGNOSTICS: '1' }

  /** All files below a folder, with what they hold. */
  const contents = (folder: string): [string, string][] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'latin1')])

  test('reach no log, no prompt on disk, no diagnostics and no message, however the output is cut', async () => {
    await using box = sandbox()
    const half = KEY.length / 2
    agentScript(box, [
      `printf %s "\${SOME_API_KEY:0:${half}}"; sleep 0.2; printf '%s\n' "\${SOME_API_KEY:${half}}"; echo "bad ${FORM}" >&2; exit 3`,
      'SAY LOOP_COMPLETE',
    ])
    configure(box, F({ cli: { args: [`--key=${KEY}`] } }))
    const done = await box.ralph(['run', '-v', '-p', 'Use the key.'], { env })
    expect(done.code).toBe(0)
    expect(box.read(rundir(box, 'iterations/1/stdout.log'))).toBe('[redacted SOME_API_KEY]\n')
    expect(box.read(rundir(box, 'iterations/1/stderr.log'))).toBe('bad [redacted]\n')
    expect(done.stderr).toContain('bad [redacted]')
    for (const folder of [box.path('.ralph'), join(box.home, '.local')])
      for (const [path, text] of contents(folder))
        expect(`${path}: ${text.includes(KEY) || text.includes(FORM)}`).toBe(`${path}: false`)
    expect(done.stderr).not.toContain(KEY)
    expect(done.stderr).not.toContain(FORM)
  })

  test('are masked in what --dry-run shows, known or named so by their flag', async () => {
    await using box = sandbox()
    configure(
      box,
      FP({ cli: { args: ['--api-key', 'abc', '--token=def', 'AUTH_TOKEN=ghi', '--x', KEY, FORM] } }),
    )
    const { stdout } = await run(box, ['--dry-run'], { env })
    expect(stdout).toContain(
      '--api-key <secret> --token=<secret> AUTH_TOKEN=<secret> --x [redacted SOME_API_KEY] [redacted]',
    )
  })

  test('that an agent hands over are its result: they arrive as they are', async () => {
    await using box = sandbox()
    agentScript(box, 'EMIT LOOP_COMPLETE "the key is $SOME_API_KEY"')
    configure(box, F())
    const done = await run(box, [], { env })
    expect(done.stdout).toBe(`the key is ${KEY}\n`)
    expect(done.stderr).not.toContain(KEY)
    const told = await run(box, ['--json'], { env })
    expect(told.stdout).toContain(`"result":"the key is ${KEY}"`)
  })

  test('are left out of what is told while a run goes on', async () => {
    await using box = sandbox()
    claudeScript(box, { _any: 'SAY "I use $SOME_API_KEY"; SAY LOOP_COMPLETE' })
    configure(box, FP())
    const done = await run(box, ['--json'], { env })
    expect(done.stdout).toContain('I use [redacted SOME_API_KEY]')
    expect(done.stdout + done.stderr).not.toContain(KEY)
  })
})

test('the mock plays with any access', async () => {
  await using box = sandbox()
  for (const access of ['read', 'edit', 'full'])
    expect((await run(box, ['-b', 'mock', '--access', access])).code).toBe(0)
})

import { describe, expect, test } from 'bun:test'
import { lstatSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FC, FW, prompt, roleScript, run, rundir, runId } from './fixtures.ts'
import { merged, promptOf } from './waves.ts'

/** Permission bits, as in `700`. */
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** All files and folders below one, itself included. */
const tree = (dir: string): string[] => [
  dir,
  ...readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name)),
]

describe.concurrent('the folder of a run', () => {
  test.each([
    [
      'below ~/.local/state by default',
      (_: Sandbox) => ({}),
      (box: Sandbox) => join(box.home, '.local/state/ralph'),
    ],
    [
      'below XDG_STATE_HOME',
      (box: Sandbox) => ({ XDG_STATE_HOME: join(box.home, 'xdg') }),
      (box: Sandbox) => join(box.home, 'xdg/ralph'),
    ],
    [
      'below RALPH_STATE_DIR, which wins',
      (box: Sandbox) => ({ XDG_STATE_HOME: join(box.home, 'xdg'), RALPH_STATE_DIR: join(box.home, 'own') }),
      (box: Sandbox) => join(box.home, 'own'),
    ],
  ])('lies %s, for nobody else to read, and .ralph/runs links to it (case 181)', async (_, env, where) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    expect((await run(box, [], { env: env(box) })).code).toBe(0)
    const folder = join(where(box), 'runs', runId(box))
    expect(lstatSync(box.path(rundir(box))).isSymbolicLink()).toBe(true)
    expect(realpathSync(box.path(rundir(box)))).toBe(realpathSync(folder))
    const modes = tree(folder).map((path) => `${statSync(path).isDirectory() ? 'd' : 'f'} ${mode(path)}`)
    expect(new Set(modes)).toEqual(new Set(['d 700', 'f 600']))
  })

  test('lies in the workspace where the state folder cannot be used, and a warning says so (case 181)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    box.write('no-folder', 'a file stands where the folder should be')
    const done = await run(box, [], { env: { RALPH_STATE_DIR: box.path('no-folder') } })
    expect(done.code).toBe(0)
    expect(done.stderr).toMatch(/warning: .*state folder/)
    expect(lstatSync(box.path(rundir(box))).isDirectory()).toBe(true)
    expect(box.exists(rundir(box, 'journal.jsonl'))).toBe(true)
    expect(box.read('no-folder')).toContain('a file stands')
  })

  test('begins with a record of what the run was started with (case 181)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    const git = 'git -c user.name=a -c user.email=a@b'
    await box.sh(`git init -q . && ${git} add ralph.yml && ${git} commit -qm one`)
    const head = (await box.sh('git rev-parse HEAD')).stdout.trim()
    expect((await run(box)).code).toBe(0)
    const [first] = box.rows(rundir(box, 'journal.jsonl'))
    const version = (await box.ralph(['--version'])).stdout.trim().replace('ralph ', '')
    expect(first).toMatchObject({
      ralph: version,
      configFiles: [
        { path: expect.stringContaining('ralph.yml'), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
      backends: { '': { name: 'custom' } },
      git: { head, dirty: true },
      config: { eventLoop: { maxIterations: 100 } },
    })
  })
})

describe.concurrent('.ralph', () => {
  test('may be deleted by a worker in the middle of a wave: all results arrive (case 182)', async () => {
    await using box = sandbox()
    configure(box, FW({ features: { max_concurrency: 1 } }))
    roleScript(box, {
      work: { 1: 'rm -rf .ralph; EMIT item.done r1', else: 'EMIT item.done "r$RALPH_WAVE_INDEX"' },
    })
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    for (const result of ['r0', 'r1', 'r2']) expect(promptOf(box, 'agg')).toContain(result)
    expect(merged(box).map((row) => row.payload)).toEqual(['r0', 'r1', 'r2'])
  })

  test('may be deleted between two invocations: --continue finds run and events (case 182)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT b.go one', 'EMIT LOOP_COMPLETE ok'])
    expect((await run(box, ['--max-iterations', '1'])).code).toBe(2)
    await box.sh('rm -rf .ralph')
    expect(await box.ralph(['run', '--continue'])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(prompt(box, 2)).toContain('Event: b.go - one')
    expect(prompt(box, 2)).toContain('You are hat b.')
  })

  test('holds nothing that Git would show but what agents made there (case 183)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(
      box,
      `mkdir -p .ralph/specs .ralph/agent; echo x > .ralph/specs/x.md; echo n > .ralph/agent/notes.md
      echo s > .ralph/agent/scratchpad.md; SAY LOOP_COMPLETE`,
    )
    await box.sh('git init -q .')
    expect((await run(box, [], { env: { RALPH_DIAGNOSTICS: '1' } })).code).toBe(0)
    const status = await box.sh('git status --porcelain -uall -- .ralph')
    expect(status.stdout.trim().split('\n').sort()).toEqual([
      '?? .ralph/agent/notes.md',
      '?? .ralph/specs/x.md',
    ])
  })

  test('keeps an edited .gitignore (case 183)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    await run(box)
    writeFileSync(box.path('.ralph/.gitignore'), '# mine\n')
    await run(box)
    expect(box.read('.ralph/.gitignore')).toBe('# mine\n')
  })
})

import { describe, expect, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { RALPH, sandbox } from '../helpers/sandbox.ts'
import {
  agentScript,
  claudeScript,
  configure,
  F,
  FP,
  main,
  rows,
  run,
  runEvents,
  runId,
  starts,
} from './fixtures.ts'

describe('the prompt of a program', () => {
  const AGENT = `#!/bin/bash
printf %s "$*" > argument
cat > on-stdin
file=$(grep -o '/[^ "]*' argument | head -1)
[ -r "$file" ] && cat "$file" > named
echo LOOP_COMPLETE
`

  test.concurrent('is an argument, and a sentence that names a file where it is long (case 94)', async () => {
    await using box = sandbox()
    box.script('agent.sh', AGENT)
    configure(box, { cli: { backend: 'custom', command: './agent.sh', prompt_mode: 'arg' } })
    const objective = `begin ${'x'.repeat(8_000)} end`
    expect((await box.ralph(['run', '-P', '-'], { stdin: objective })).code).toBe(0)
    expect(box.read('argument').length).toBeLessThan(1_000)
    expect(box.read('named')).toContain(objective)
    expect(box.read('on-stdin')).toBe('')
    const named = /\/[^ "]*/.exec(box.read('argument'))?.[0] ?? ''
    expect(await Bun.file(named).exists()).toBe(false)
  })

  test.concurrent('is whole on stdin (case 94)', async () => {
    await using box = sandbox()
    box.script('agent.sh', AGENT)
    configure(box, F())
    const objective = `begin ${'x'.repeat(300_000)} end`
    expect((await box.ralph(['run', '-P', '-'], { stdin: objective })).code).toBe(0)
    expect(box.read('on-stdin')).toContain(objective)
    expect(box.read('argument')).toBe('')
  })
})

test.concurrent('the environment of an agent (case 95)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(
    box,
    'env -0 > env; readlink -f "$(command -v ralph)" > which; ralph --version > version; SAY LOOP_COMPLETE',
  )
  const env = {
    RALPH_WAVE_WORKER: '',
    RALPH_WAVE_ID: 'w-1',
    RALPH_WAVE_INDEX: '1',
    RALPH_EVENTS_FILE: '/nonexistent/f',
    BUN_OPTIONS: '--smol',
    BUN_BE_BUN: '',
    OTHER: 'kept',
  }
  expect((await run(box, [], { env })).code).toBe(0)
  const seen = Object.fromEntries(
    box
      .read('env')
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const ralph = realpathSync(RALPH)
  expect(realpathSync(seen.RALPH_BIN ?? '')).toBe(ralph)
  expect(box.read('which').trim()).toBe(ralph)
  expect(box.read('version')).toMatch(/^ralph /)
  expect(seen).toMatchObject({
    RALPH_WORKSPACE_ROOT: realpathSync(box.dir),
    RALPH_EVENTS_FILE: box.path(main(box)),
    RALPH_RUN_ID: runId(box),
    RALPH_AGENT: `${runId(box)}:1`,
    RALPH_DEPTH: '1',
    TMPDIR: box.env().TMPDIR ?? '',
    OTHER: 'kept',
  })
  const names = Object.keys(seen)
  expect(names.filter((name) => /^RALPH_WAVE_|^BUN_(OPTIONS|BE_BUN)$/.test(name))).toEqual([])
})

test.concurrent('a run that an agent starts elsewhere has events of its own (case 96)', async () => {
  await using box = sandbox()
  configure(box, F())
  configure(box, F({ cli: { command: './inner.sh' } }), 'inner/ralph.yml')
  box.script(
    'inner/inner.sh',
    '#!/bin/bash\n"$RALPH_BIN" emit inner.topic x </dev/null\n"$RALPH_BIN" emit LOOP_COMPLETE inner </dev/null\n',
  )
  agentScript(box, ['(cd inner && ralph run -p Y < /dev/null) > inner.out; EMIT outer.topic'])
  expect((await run(box)).code).toBe(0)
  expect(box.read('inner.out')).toBe('inner\n')
  expect(box.read(main(box))).not.toContain('inner')
  expect(rows(box, 'outer.topic')).toHaveLength(1)
  const marked = box.read('inner/.ralph/current-events').trim()
  expect(box.read(`inner/${marked}`)).toContain('inner.topic')
  expect(box.read(`inner/${marked}`)).not.toContain('outer.topic')
})

describe('the records of claude', () => {
  const RESULT = (fields: string): string =>
    `printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,${fields}}'; RESULT=`

  /** Plays records as they are, in place of the fixture's own result. */
  async function play(script: string) {
    await using box = sandbox()
    configure(box, FP({ event_loop: { max_iterations: 1 } }))
    claudeScript(box, `trap - EXIT\n${script}`)
    const done = await run(box, ['--json'])
    const events = runEvents(done)
    const summary = JSON.parse(String(rows(box, 'iteration.summary')[0]?.payload))
    return { done, events, end: events.find((event) => event.type === 'iteration_end'), summary }
  }

  test.concurrent('cost counts without num_turns (case 98)', async () => {
    const { summary } = await play(RESULT('"total_cost_usd":0.25'))
    expect(summary).toMatchObject({ cost_usd: 0.25, cost_source: 'reported' })
  })

  test.concurrent('of two results the last cost counts, and the sum of the tokens (case 98)', async () => {
    const { end } = await play(
      `${RESULT('"total_cost_usd":0.2,"usage":{"input_tokens":10,"output_tokens":1}')}
       ${RESULT('"total_cost_usd":0.5,"usage":{"input_tokens":20,"output_tokens":2}')}`,
    )
    expect(end).toMatchObject({ cost_usd: 0.5, input_tokens: 30, output_tokens: 3 })
  })

  test.concurrent('type may stand last, unknown records and bad lines are skipped (case 98)', async () => {
    const { end, events } = await play(
      `SAY fine
       printf '%s\\n' '{"type":"news","x":1}' '{oops' '[]' '"x"'
       printf '%s\\n' '{"subtype":"success","is_error":false,"total_cost_usd":0.75,"type":"result"}'`,
    )
    expect(end).toMatchObject({ cost_usd: 0.75, success: true })
    expect(events.filter((event) => event.type === 'text_delta')).toMatchObject([{ delta: 'fine' }])
  })

  test.concurrent('a character over two writes arrives whole (case 98)', async () => {
    const { events } = await play(
      `printf '{"type":"assistant","message":{"content":[{"type":"text","text":"a\\xf0\\x9f'; sleep 0.1
       printf '\\x99\\x82b"}]}}\\n'; ${RESULT('"total_cost_usd":0.5')}`,
    )
    expect(events.filter((event) => event.type === 'text_delta')).toMatchObject([{ delta: 'a🙂b' }])
  })

  test.concurrent('an error result is a failure, whatever the exit code', async () => {
    const { end } = await play(
      `printf '%s\\n' '{"type":"result","subtype":"error_during_execution","is_error":true,"result":"no luck"}'`,
    )
    expect(end).toMatchObject({ success: false })
  })
})

test.concurrent('a backend that is chosen by itself must be found (case 97)', async () => {
  await using box = sandbox()
  box.script('bin/codex', '#!/bin/sh\necho 1.0.0\n')
  const env = { PATH: box.path('bin') }
  const auto = ['run', '--dry-run', '-p', 'x', '-b', 'auto']
  const found = await box.ralph(auto, { env })
  expect(found.stdout).toMatch(/backend +codex/)
  configure(box, { adapters: { codex: { enabled: false } } })
  const none = await box.ralph(auto, { env })
  expect(none.code).toBe(1)
  for (const name of ['claude', 'kiro', 'gemini', 'codex', 'roo']) expect(none.stderr).toContain(name)
  expect(starts(box)).toBe(0)
})

describe('a program that takes the Git configuration away from commands', () => {
  /** The agent commits as a command of such a program would: without any configuration. */
  const AGENT = `#!/bin/bash
cat > prompt.md
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git -C . commit -q --allow-empty -m made 2> error
ralph emit LOOP_COMPLETE
`

  const plugin = (keepsGit: boolean) => `export default {
  name: 'bare', traits: { shell: { keepsGit: ${keepsGit} } }, invoke: () => ({ argv: ['./agent.sh'], prompt: 'stdin' }),
}
`

  test.concurrent.each([
    [false, 'Ada <ada@example.org>\n'],
    [true, ''],
  ])('its agents commit in the name of the user, with keepsGit %p: %j', async (keepsGit, author) => {
    await using box = sandbox()
    await box.sh(
      'git init -q . && git config --global user.name Ada && git config --global user.email ada@example.org',
    )
    box.script('agent.sh', AGENT)
    box.write('plugins/bare.ts', plugin(keepsGit))
    configure(box, { cli: { backend: 'bare' } })
    expect((await box.ralph(['run', '-p', 'X', '--plugins', 'plugins'])).code).toBe(0)
    expect((await box.sh("git log --format='%an <%ae>' 2> /dev/null")).stdout).toBe(author)
    expect(box.read('prompt.md').includes('Git hooks do not run')).toBe(!keepsGit)
  })
})

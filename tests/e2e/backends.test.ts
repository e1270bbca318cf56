import { describe, expect, test } from 'bun:test'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { configure, FC, run } from './fixtures.ts'

const UNVERIFIED = ['amp', 'forge', 'kiro', 'roo']
const MEASURED = ['codex', 'copilot', 'opencode', 'pi', 'qwen']

/** A program on PATH that answers `--version`, and else counts its start and does what `body` says. */
function fake(box: Sandbox, program: string, body: string): Record<string, string> {
  box.script(
    `bin/${program}`,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo 1.0.0; exit; fi\necho x >> starts.txt\n${body}\n`,
  )
  return { PATH: `${box.path('bin')}:/usr/bin:/bin` }
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
const starts = (box: Sandbox): number => (box.exists('starts.txt') ? count(box.read('starts.txt'), /x/g) : 0)

describe.concurrent('a dry run', () => {
  test.each([...UNVERIFIED, ...MEASURED])(
    'with %s shows its command line, further arguments before the prompt (case 169)',
    async (name) => {
      await using box = sandbox()
      const { code, stdout } = await run(box, ['--dry-run', '-b', name, '--', '--further', 'word'])
      expect(code).toBe(0)
      expect(stdout).toMatch(new RegExp(`ralph +${name}(-cli)? .*--further word.* <prompt>\n`))
    },
  )

  test.each([...MEASURED, 'kiro', 'roo'])(
    'with %s passes a model by its own flag (case 168)',
    async (name) => {
      await using box = sandbox()
      const { stdout } = await run(box, ['--dry-run', '-b', name, '--model', 'm1'])
      expect(stdout).toMatch(/ (-m|--model) m1 /)
    },
  )

  test.each(['amp', 'forge'])('with %s refuses a model: it takes none (case 168)', async (name) => {
    await using box = sandbox()
    const { code, stderr } = await run(box, ['--dry-run', '-b', name, '--model', 'm1'])
    expect(code).toBe(1)
    expect(stderr).toContain('cli.model')
  })

  test("puts the agent of kiro before a hat's further arguments (case 169)", async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { b: { backend: { type: 'kiro', agent: 'A', args: ['--x'] } } } }))
    const { stdout } = await run(box, ['--dry-run'])
    expect(stdout).toContain('kiro-cli chat --no-interactive --trust-all-tools --agent A --x <prompt>')
  })
})

test.concurrent.each(['plugins', 'doctor'])('`%s` shows who is unverified (case 169)', async (command) => {
  await using box = sandbox()
  const { stdout } = await box.ralph([command])
  const marked = stdout.split('\n').filter((line) => line.includes('unverified'))
  for (const name of UNVERIFIED) expect(marked.some((line) => line.includes(name))).toBe(true)
  for (const name of MEASURED) expect(marked.some((line) => line.includes(`${name} `))).toBe(false)
})

describe.concurrent('a run', () => {
  test('gives one note that amp is unverified, in three iterations (case 169)', async () => {
    await using box = sandbox()
    const env = fake(box, 'amp', 'echo working')
    const { code, stderr } = await run(box, ['-b', 'amp', '--max-iterations', '3'], { env })
    expect([code, starts(box)]).toEqual([2, 3])
    expect(count(stderr, /amp.*unverified/g)).toBe(1)
  })

  test('gives none for a program that our tests know (case 169)', async () => {
    await using box = sandbox()
    const env = fake(box, 'codex', `cat > /dev/null; echo '{"type":"turn.completed"}'`)
    const { stderr } = await run(box, ['-b', 'codex', '--max-iterations', '1'], { env })
    expect(starts(box)).toBe(1)
    expect(stderr).not.toContain('unverified')
  })

  test('of a wave from the shell gives one note too (case 169)', async () => {
    await using box = sandbox()
    const env = fake(box, 'forge', 'echo "done with: $2"')
    const { code, stderr } = await box.ralph(['wave', 'run', '-b', 'forge'], { env, stdin: 'a\nb\nc\n' })
    expect([code, starts(box)]).toEqual([0, 3])
    expect(count(stderr, /forge.*unverified/g)).toBe(1)
  })

  test('hands roo its prompt in a file that is gone afterwards', async () => {
    await using box = sandbox()
    const env = fake(
      box,
      'roo',
      'while [ "$1" != --prompt-file ]; do shift; done\necho "$2" > path.txt; cp "$2" copy.txt; echo LOOP_COMPLETE',
    )
    const { code } = await run(box, ['-b', 'roo', '--max-iterations', '1'], { env })
    expect(code).toBe(0)
    expect(box.read('copy.txt')).toContain('OBJECTIVE')
    expect(box.exists(box.read('path.txt').trim())).toBe(false)
  })
})

test.concurrent('`auto` takes codex where it is the only program, unless it is switched off (case 97)', async () => {
  await using box = sandbox()
  const env = { PATH: fake(box, 'codex', 'exit 1').PATH?.split(':')[0] ?? '' }
  const auto = ['run', '--dry-run', '-p', 'x', '-b', 'auto']
  const found = await box.ralph(auto, { env })
  expect(found.stdout).toMatch(/backend +codex/)
  expect(found.stderr).toContain(
    'auto: codex, the first in order that is there; passed over: claude (claude)',
  )
  configure(box, { adapters: { codex: { enabled: false } } })
  const none = await box.ralph(auto, { env })
  expect(none.code).toBe(1)
  const tried = ['claude', 'kiro', 'gemini', 'codex', 'forge', 'amp', 'copilot', 'opencode', 'pi', 'roo']
  for (const name of tried) expect(none.stderr).toContain(name)
  expect(starts(box)).toBe(0)
})

test.concurrent('`auto` says in a run and in a wave from the shell what it chose, unless it is to be quiet', async () => {
  await using box = sandbox()
  const env = fake(box, 'forge', 'echo LOOP_COMPLETE')
  const chosen =
    /auto: forge, the first in the order of agent_priority that is there; passed over: amp \(amp\)/
  configure(box, { cli: { backend: 'auto' }, agent_priority: ['amp', 'forge'] })
  expect((await run(box, [], { env })).stderr).toMatch(chosen)
  expect((await box.ralph(['wave', 'run'], { env, stdin: 'a\n' })).stderr).toMatch(chosen)
  expect((await run(box, ['-q'], { env })).stderr).not.toContain('auto:')
})

test.concurrent('`kiro-acp` is an error that says that it is not available yet', async () => {
  await using box = sandbox()
  const { code, stderr } = await run(box, ['-b', 'kiro-acp'])
  expect(code).toBe(1)
  expect(stderr).toContain('backend "kiro-acp" is not available yet')
  expect(box.exists('.ralph')).toBe(false)
})

describe.concurrent('a fake of', () => {
  const lines = (...records: readonly object[]): string =>
    records.map((record) => `printf '%s\\n' '${JSON.stringify(record)}'`).join('\n')
  const text = 'All good.\nLOOP_COMPLETE'
  const usage = { input_tokens: 30, output_tokens: 4 }
  const assistant = { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' }
  const stories: Record<string, string> = {
    codex: lines(
      { type: 'item.completed', item: { id: 'i', type: 'agent_message', text } },
      { type: 'turn.completed', usage },
    ),
    opencode: lines(
      { type: 'text', part: { messageID: 'm', text } },
      { type: 'step_finish', part: { reason: 'stop', tokens: { input: 30, output: 4 }, cost: 0.5 } },
    ),
    pi: lines(
      { type: 'message_end', message: { ...assistant, usage: { input: 30, output: 4 } } },
      { type: 'agent_end', messages: [] },
    ),
    copilot: lines(
      { type: 'assistant.message', data: { messageId: 'm', content: text } },
      { type: 'result', exitCode: 0 },
    ),
    qwen: lines(
      { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } },
      { type: 'result', subtype: 'success', is_error: false, result: text, usage },
    ),
  }

  test.each(Object.entries(stories))(
    '%s gets the prompt on stdin and completes a run',
    async (name, story) => {
      await using box = sandbox()
      const env = fake(box, name, `cat > prompt.txt\n${story}`)
      const { code, stdout } = await run(box, ['-b', name, '--max-iterations', '2', '--json'], { env })
      expect([code, starts(box)]).toEqual([0, 1])
      expect(box.read('prompt.txt')).toContain('OBJECTIVE')
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const end = rows.find((row) => row.type === 'iteration_end')
      const tokens = name === 'copilot' ? null : 30
      expect(end).toMatchObject({ success: true, input_tokens: tokens })
      expect(end.cost_usd).toBe(name === 'opencode' ? 0.5 : name === 'pi' ? 0 : null)
    },
  )

  test('pi that exits with 0 after an error of its provider ends the run as one without a backend', async () => {
    await using box = sandbox()
    const message = { role: 'assistant', content: [], stopReason: 'error', errorMessage: '401: no key' }
    const story = lines({ type: 'message_end', message }, { type: 'agent_end', messages: [] })
    const env = fake(box, 'pi', `cat > /dev/null\n${story}`)
    const { stderr } = await run(box, ['-b', 'pi', '--max-iterations', '3'], { env })
    expect(starts(box)).toBe(1)
    expect(stderr).toContain('backend_unavailable')
  })
})

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'

/** `wave run` with a scripted program that gets its prompt on stdin, in a directory without config. */
function waveRun(box: Sandbox, agent: string, more: readonly string[] = []): readonly string[] {
  box.script('agent.sh', `#!/bin/bash\nprompt=$(cat)\n${agent}\n`)
  const keys = ['cli.backend=custom', 'cli.command=./agent.sh', 'cli.prompt_mode=stdin']
  return ['wave', 'run', ...keys.flatMap((key) => ['-c', key]), ...more]
}

describe('ralph wave run', () => {
  test('gives each line to an agent, never more than -j at once, and prints results in input order (case 191)', async () => {
    await using box = sandbox()
    const agent = `echo + >> alive; sleep 0.$((6 - \${prompt#Say })); echo "did $prompt"; echo - >> alive`
    const args = waveRun(box, agent, ['--prompt', 'Say {}', '-j', '2'])
    const done = await box.ralph(args, { stdin: '1\n2\n\n3\n4\n5\n' })
    expect(done).toMatchObject({ code: 0, stdout: 'did Say 1\ndid Say 2\ndid Say 3\ndid Say 4\ndid Say 5\n' })
    expect(done.stderr).toMatch(
      /^── Wave w-[0-9a-f]+-\d+-\d+: 5 succeeded, 0 failed \(.*\) \| cost unknown ──\n$/,
    )
    let alive = 0
    let most = 0
    for (const mark of box.read('alive').trim().split('\n')) {
      alive += mark === '+' ? 1 : -1
      most = Math.max(most, alive)
    }
    expect(most).toBe(2)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('puts the item after a prompt without {}, and takes it as the prompt without --prompt (case 191)', async () => {
    await using box = sandbox()
    const agent = `printf '%s|' "$prompt"`
    const after = await box.ralph(waveRun(box, agent, ['--prompt', 'Do this.']), { stdin: 'a\n' })
    expect(after.stdout).toBe('Do this.\n\na|\n')
    const alone = await box.ralph(waveRun(box, agent), { stdin: 'a\n' })
    expect(alone.stdout).toBe('a|\n')
  })

  test('a failed item has a line with its log on stderr, no text, and null in jsonl (case 192)', async () => {
    await using box = sandbox()
    const agent = `[ "$prompt" = b ] && { echo boom >&2; exit 3; }; echo "did $prompt"`
    const text = await box.ralph(waveRun(box, agent), { stdin: 'a\nb\nc\n' })
    expect(text).toMatchObject({ code: 1, stdout: 'did a\ndid c\n' })
    const log = /✗ Worker 2\/3 failed .* \[failed\] — b — (\/\S+)\n/.exec(text.stderr)?.[1] ?? ''
    expect(readFileSync(log, 'utf8')).toContain('boom')

    const jsonl = await box.ralph(waveRun(box, agent, ['--output', 'jsonl']), { stdin: 'a\nb\n' })
    const rows = jsonl.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(jsonl.code).toBe(1)
    expect(rows).toMatchObject([
      {
        index: 0,
        payload: 'a',
        status: 'ok',
        result: 'did a',
        cost_usd: null,
        attempts: 1,
        cost_source: null,
      },
      { index: 1, payload: 'b', status: 'failed', result: null, attempts: 1 },
    ])
  })

  test('an agent that emits gives the payload of its last event (case 192)', async () => {
    await using box = sandbox()
    const agent = `"$RALPH_BIN" emit any.topic first </dev/null; "$RALPH_BIN" emit any.topic "sent $prompt" </dev/null; echo said`
    const done = await box.ralph(waveRun(box, agent), { stdin: 'a\n' })
    expect(done.stdout).toMatch(/sent a\n$/)
    expect(done.stdout).not.toContain('said')
  })

  test.each([
    ['NULs', ['-0'], 'a\nb\0c\0', 'a b.\nc.\n'],
    ['objects', ['--jsonl'], '{"payload":{"k":1}}\n{"topic":"ignored","payload":"x"}\n', '{"k":1}.\nx.\n'],
  ])('items come as %s too (case 193)', async (_, flags, stdin, wanted) => {
    await using box = sandbox()
    const done = await box.ralph(waveRun(box, `echo "\${prompt//$'\\n'/ }."`, flags), { stdin })
    expect(done).toMatchObject({ code: 0, stdout: wanted })
  })

  test('items come from a file too, and more than features.max_wave_items of them (case 193)', async () => {
    await using box = sandbox()
    const items = Array.from({ length: 150 }, (_, i) => `i${i}`)
    box.write('items', `${items.join('\n')}\n`)
    const done = await box.ralph(waveRun(box, 'echo "$prompt"', ['--payloads-file', 'items', '-j', '16']))
    expect(done.code).toBe(0)
    expect(done.stdout).toBe(`${items.join('\n')}\n`)
  })

  test('without items it prints nothing and is content (case 192)', async () => {
    await using box = sandbox()
    expect(await box.ralph(waveRun(box, 'echo x'), { stdin: ' \n\n' })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('--timeout ends an attempt (case 193)', async () => {
    await using box = sandbox()
    const done = await box.ralph(waveRun(box, 'exec sleep 300', ['--timeout', '1', '--output', 'jsonl']), {
      stdin: 'a\n',
    })
    expect(done.code).toBe(1)
    expect(JSON.parse(done.stdout)).toMatchObject({ status: 'timeout', result: null })
  })

  test('the fuse of agents ends it with 2, and what is done is printed (case 193)', async () => {
    await using box = sandbox()
    const args = waveRun(box, 'echo x >> starts; echo "$prompt"', ['-c', 'features.max_agents=3', '-j', '1'])
    const done = await box.ralph(args, { stdin: '1\n2\n3\n4\n5\n' })
    expect(done).toMatchObject({ code: 2, stdout: '1\n2\n3\n' })
    expect(done.stderr).toContain('3 succeeded, 0 failed, 2 not done')
    expect(box.read('starts')).toBe('x\nx\nx\n')
  })

  test('SIGINT ends it with 130, prints what is done, and leaves no agent (case 192)', async () => {
    await using box = sandbox()
    const agent = `[ "$prompt" = a ] && { echo done; exit; }; echo $$ > pid; exec sleep 300`
    const started = box.start(waveRun(box, agent, ['-j', '1']), { stdin: 'a\nb\n' })
    const pid = await until('the second agent', () => box.exists('pid') && Number(box.read('pid')))
    started.kill('SIGINT')
    const done = await started.finished
    expect(done).toMatchObject({ code: 130, stdout: 'done\n' })
    expect(() => process.kill(pid, 0)).toThrow()
  })
})

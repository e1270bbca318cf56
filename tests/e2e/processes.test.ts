import { describe, expect, test } from 'bun:test'
import { RALPH, sandbox, until } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FW, hat, roleScript, run } from './fixtures.ts'
import { isAlive, outcome } from './waves.ts'

/** An agent's text, a payload and a hat's name: what would change a terminal's title and clear its screen. */
const CODES = '\\u001b]0;x\\u0007\\u001b[2J'

describe.concurrent('control sequences of foreign text', () => {
  const script = `SAY "$(printf 'said \\033]0;x\\007\\033[2J!')"
    EMIT x "$(printf 'sent \\033]0;x\\007\\033[2J!')"
    [ $START = 2 ] && SAY LOOP_COMPLETE`
  const config = F({
    hats: { a: { ...hat('a', { triggers: ['x'], publishes: ['x'] }), name: 'A \u001b]0;x\u0007\u001b[2J' } },
    event_loop: { starting_event: 'x', max_iterations: 2 },
  })

  test('never reach a terminal (case 188)', async () => {
    await using box = sandbox()
    configure(box, config)
    agentScript(box, script)
    const screen: string[] = []
    const child = Bun.spawn([RALPH, 'run', '-p', 'X', '--color', 'never'], {
      cwd: box.dir,
      env: box.env({ TERM: 'xterm' }),
      terminal: { cols: 100, rows: 40, data: (_, bytes) => screen.push(new TextDecoder().decode(bytes)) },
    })
    await child.exited
    const shown = screen.join('')
    expect(shown).toContain('said')
    expect(shown).toContain('sent')
    expect(shown).not.toContain('\u001b]0;')
    expect(shown).not.toContain('\u001b[2J')
    expect(shown).not.toContain('\u0007')
  })

  test('stand escaped in NDJSON (case 188)', async () => {
    await using box = sandbox()
    configure(box, config)
    agentScript(box, script)
    const done = await run(box, ['--json'])
    expect(done.stdout).not.toContain('\u001b')
    expect(done.stdout).toContain(`said ${CODES}`)
    expect(done.stdout).toContain(`sent ${CODES}`)
    expect(done.stdout).toContain(`A ${CODES}`)
  })
})

test.concurrent('a tool of an agent can open /dev/stderr and /dev/stdout (case 189)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(
    box,
    `echo to-stderr > /dev/stderr && echo y | tee /dev/stderr > tee-out && echo to-stdout > /dev/stdout && echo yes > worked
    SAY LOOP_COMPLETE`,
  )
  expect((await run(box)).code).toBe(0)
  expect([box.read('worked'), box.read('tee-out')]).toEqual(['yes\n', 'y\n'])
})

describe.concurrent('the end of an agent', () => {
  test('by timeout leaves the processes of an agent alone whose number begins like its own (case 190)', async () => {
    await using box = sandbox()
    // Item 1 is agent 1. Item 12 is agent 12: the last to start, a second later, and so the last whose time is up.
    box.script(
      'agent.sh',
      `#!/bin/bash
      case $(cat) in
        1) setsid sleep 300 & echo "$! $RALPH_AGENT" > first; exec sleep 300 ;;
        2) sleep 1; echo r ;;
        12) setsid sleep 300 & echo "$! $RALPH_AGENT" > twelfth
          until [ -e over ]; do sleep 0.02; done; echo r ;;
        *) echo r ;;
      esac`,
    )
    const keys = ['cli.command=./agent.sh', 'cli.prompt_mode=stdin'].flatMap((key) => ['-c', key])
    const items = Array.from({ length: 12 }, (_, i) => `${i + 1}\n`).join('')
    const going = box.start(
      ['wave', 'run', '-b', 'custom', ...keys, '-j', '2', '--timeout', '3', '--output', 'jsonl'],
      { stdin: items },
    )
    const leftBy = async (name: string) => {
      const [, pid = '', agent] =
        (await until(name, () => box.exists(name) && /^(\d+) \S+:(\d+)\n/.exec(box.read(name)))) || []
      return { pid: Number(pid), agent }
    }
    const first = await leftBy('first')
    const twelfth = await leftBy('twelfth')
    expect([first.agent, twelfth.agent]).toEqual(['1', '12'])
    await until('the end of what agent 1 left behind', () => !isAlive(first.pid))
    expect(isAlive(twelfth.pid)).toBe(true)
    box.write('over', '')
    const rows = (await going.finished).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([rows[0].status, rows[11].status]).toEqual(['timeout', 'ok'])
    expect(isAlive(twelfth.pid)).toBe(false)
  })

  test('is not held up by a zombie in its group, which is no stray (case 190)', async () => {
    await using box = sandbox()
    configure(box, FW())
    // What the subshell becomes has a session of its own, and never asks for its child, which stays in the group.
    roleScript(box, {
      work: {
        0: `(sleep 0.01 & echo $! > zombie; exec setsid sleep 300) &
          until grep -qs '^State:.Z' "/proc/$(cat zombie)/status"; do sleep 0.02; done
          EMIT item.done r0`,
        else: 'EMIT item.done r',
      },
    })
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(outcome(box, 0)).toMatchObject({
      status: 'ok',
      remarks: [expect.stringMatching(/^left behind: [^,]*$/)],
    })
    expect(outcome(box, 0).remarks[0]).toContain('sleep 300')
  })
})

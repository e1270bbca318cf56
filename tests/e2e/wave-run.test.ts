import { describe, expect, test } from 'bun:test'
import { RALPH, sandbox, until } from '../helpers/sandbox.ts'
import { agentScript, configure, F, runId } from './fixtures.ts'
import { counted, mostAlive } from './waves.ts'

// What one run of it does with its items is in tests/cli/wave-run.test.ts.
const KEYS = ['cli.backend=custom', 'cli.command=./item.sh', 'cli.prompt_mode=stdin'].flatMap((key) => [
  '-c',
  key,
])

describe.concurrent('ralph wave run', () => {
  test('has never more than four agents alive without -j (case 191)', async () => {
    await using box = sandbox()
    // The first four meet, so that four is reached; a fifth would show.
    box.script(
      'item.sh',
      `#!/bin/bash\nn=$(cat)\n${counted('echo x >> met; until [ $(wc -l < met) -ge 4 ]; do sleep 0.02; done; sleep 0.1')}\necho "$n"`,
    )
    const done = await box.ralph(['wave', 'run', ...KEYS], { stdin: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' })
    expect(done).toMatchObject({ code: 0, stdout: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' })
    expect(mostAlive(box)).toBe(4)
  })

  test('works while a run holds the workspace, and leaves its files alone (case 191)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'until [ -e over ]; do sleep 0.02; done; SAY LOOP_COMPLETE')
    box.script('item.sh', '#!/bin/bash\necho "did $(cat)"')
    const going = box.start(['run', '-p', 'X'])
    const id = await until('the run', () => box.exists('.ralph/current-loop-id') && runId(box))
    expect(await box.ralph(['wave', 'run', ...KEYS], { stdin: 'a\n' })).toMatchObject({
      code: 0,
      stdout: 'did a\n',
    })
    expect(runId(box)).toBe(id)
    box.write('over', '')
    expect((await going.finished).code).toBe(0)
  })

  test('starts no further agent once nobody reads the results', async () => {
    await using box = sandbox()
    box.script('item.sh', '#!/bin/bash\necho x >> starts; cat')
    const keys = KEYS.map((word) => `'${word}'`).join(' ')
    const done = await box.sh(`seq 300 | "$RALPH_BIN" wave run ${keys} -j 2 | head -1`)
    expect(done).toMatchObject({ code: 0, stdout: '1\n' })
    expect(done.stderr).toMatch(/\d+ not done/)
    expect(box.read('starts').split('\n').length).toBeLessThan(200)
  })

  test('at a terminal says that it waits for items, and how they end', async () => {
    await using box = sandbox()
    let screen = ''
    const child = Bun.spawn([RALPH, 'wave', 'run', '-b', 'mock'], {
      cwd: box.dir,
      env: box.env(),
      terminal: { cols: 80, rows: 24, data: (_, bytes) => (screen += new TextDecoder().decode(bytes)) },
    })
    await until('the note', () => screen.includes('Ctrl-D ends them'))
    child.terminal?.write('\x04')
    expect(await child.exited).toBe(0)
    child.terminal?.close()
  })

  test('an unknown flag is a usage error, and nothing is started (case 192)', async () => {
    await using box = sandbox()
    box.script('item.sh', '#!/bin/bash\ntouch started')
    const done = await box.ralph(['wave', 'run', ...KEYS, '--bogus'], { stdin: 'a\n' })
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toContain('--bogus')
    expect(box.exists('started')).toBe(false)
  })
})

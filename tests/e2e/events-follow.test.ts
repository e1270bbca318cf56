import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { RALPH, type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import { agentScript, configure, FC, run, starts } from './fixtures.ts'

/** `ralph events --follow` with its output in a file that can be looked at while it goes on. */
function follow(box: Sandbox, ...args: string[]) {
  const path = box.path('seen')
  const child = Bun.spawn([RALPH, 'events', '--follow', ...args], {
    cwd: box.dir,
    env: box.env(),
    stdin: 'ignore',
    stdout: Bun.file(path),
    stderr: 'ignore',
  })
  const lines = (): string[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : []
  return {
    lines,
    rows: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Until so many lines are there. */
    shows: (count: number) => until(`${count} lines`, () => lines().length >= count),
    async end(signal: NodeJS.Signals = 'SIGINT'): Promise<number> {
      child.kill(signal)
      return child.exited
    },
  }
}

describe.concurrent('ralph events --follow (case 101)', () => {
  test('begins before the run and shows the events of a run that goes on, one JSON object a line', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT b.go x; until [ -e on ]; do sleep 0.02; done', 'EMIT LOOP_COMPLETE y'])
    const followed = follow(box, '--json')
    const going = box.start(['run', '-p', 'X'])
    await until('the first agent', () => starts(box) === 1)
    await followed.shows(2)
    expect(followed.rows()).toMatchObject([
      { hat: 'loop', topic: 'work.start', iteration: 0 },
      { hat: 'a', topic: 'b.go', iteration: 1, payload: 'x' },
    ])
    box.write('on', '')
    await going.finished
    await until('the end', () => followed.rows().at(-1)?.topic === 'loop.terminate')
    expect(followed.rows()).toContainEqual(
      expect.objectContaining({ hat: 'b', topic: 'LOOP_COMPLETE', iteration: 2 }),
    )
    expect(await followed.end()).toBe(130)
    expect(followed.rows()).toEqual(JSON.parse((await box.ralph(['events', '--json'])).stdout))
  })

  test('goes on with the next run, whose events file is another', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, 'EMIT LOOP_COMPLETE y')
    const followed = follow(box, '--json', '--topic', 'LOOP_COMPLETE')
    await run(box)
    await followed.shows(1)
    await run(box)
    await followed.shows(2)
    expect(await followed.end('SIGTERM')).toBe(143)
  })

  test('as a table: the heading once, columns below each other; --last bounds only what is there already', async () => {
    await using box = sandbox()
    const line = (topic: string): string => `${JSON.stringify({ topic, payload: 'p' })}\n`
    const file = box.write('e.jsonl', line('one') + line('two') + line('three'))
    const followed = follow(box, '--file', 'e.jsonl', '--last', '2')
    await followed.shows(3)
    appendFileSync(file, line('four') + line('five') + line('six').slice(0, -1))
    await followed.shows(5)
    appendFileSync(file, '\n')
    await followed.shows(6)
    expect(await followed.end()).toBe(130)
    const [heading = '', ...rows] = followed.lines()
    expect(rows.map((row) => row.trim().split(/ +/).slice(-2))).toEqual(
      ['two', 'three', 'four', 'five', 'six'].map((topic) => [topic, 'p']),
    )
    for (const row of rows) expect(row.indexOf('p', row.length - 1)).toBe(heading.indexOf('payload'))
  })

  test('ends when its reader has gone, though nothing further happens', async () => {
    await using box = sandbox()
    box.write('e.jsonl', '{"topic":"one"}\n{"topic":"two"}\n')
    const done = await box.sh(
      'set -o pipefail; timeout 20 "$RALPH_BIN" events --follow --json --file e.jsonl | head -1',
    )
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(done.stdout)).toMatchObject({ topic: 'one' })
  })

  test('does not go together with --clear', async () => {
    await using box = sandbox()
    expect((await box.ralph(['events', '--follow', '--clear'])).code).toBe(2)
  })
})

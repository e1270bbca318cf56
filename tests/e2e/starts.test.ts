import { describe, expect, test } from 'bun:test'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'

/** A plugin that wants so much time between the starts of its agents, each of which notes when it began. */
function gapPlugin(box: Sandbox, gapMs: number, body = 'echo done'): void {
  box.script('agent.sh', `#!/bin/bash\necho "$EPOCHREALTIME" >> starts.txt\ncat > /dev/null\n${body}\n`)
  box.write(
    'more/gap.ts',
    `export default {
  name: 'gap',
  traits: { startGapMs: ${gapMs} },
  invoke: () => ({ argv: ['./agent.sh'], prompt: 'stdin' }),
}
`,
  )
}

/** When agents began, in milliseconds, in order. */
function begun(box: Sandbox): number[] {
  if (!box.exists('starts.txt')) return []
  return box
    .read('starts.txt')
    .trim()
    .split('\n')
    .map((line) => Number(line) * 1000)
    .sort((a, b) => a - b)
}

const WAVE = ['wave', 'run', '--plugins', 'more', '-b', 'gap', '-j', '8']

describe.concurrent('a plugin that wants time between the starts of its agents', () => {
  test('gets it, though all places are free', async () => {
    await using box = sandbox()
    gapPlugin(box, 300)
    const done = await box.ralph(WAVE, { stdin: 'a\nb\nc\nd\n' })
    expect([done.code, done.stdout]).toEqual([0, 'done\ndone\ndone\ndone\n'])
    const at = begun(box)
    expect(at).toHaveLength(4)
    // What an agent notes comes some time after its start: over all four that evens out.
    expect((at[3] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(3 * 300 - 150)
  })

  test('keeps no run from ending: a signal during such a wait acts at once', async () => {
    await using box = sandbox()
    gapPlugin(box, 60_000)
    const going = box.start(WAVE, { stdin: 'a\nb\n' })
    await until('the first agent', () => begun(box).length === 1)
    const began = performance.now()
    going.kill('SIGINT')
    expect((await going.finished).code).toBe(130)
    expect(performance.now() - began).toBeLessThan(5000)
    expect(begun(box)).toHaveLength(1)
  })

  test('is not held to it with a program of the user’s own in its place', async () => {
    await using box = sandbox()
    gapPlugin(box, 60_000)
    box.write('ralph.yml', JSON.stringify({ cli: { backend: 'gap', command: './agent.sh' } }))
    const done = await box.ralph(WAVE, { stdin: 'a\nb\n' })
    expect([done.code, done.stdout]).toEqual([0, 'done\ndone\n'])
  })

  test.each([
    ['-1', '"traits.startGapMs" must be whole milliseconds, at most 60000, not -1'],
    ['"soon"', '"traits.startGapMs" must be whole milliseconds, at most 60000, not "soon"'],
  ])('must say it in milliseconds: %s is an error', async (value, message) => {
    await using box = sandbox()
    box.write(
      'more/gap.ts',
      `export default { name: 'gap', traits: { startGapMs: ${value} }, invoke: () => ({ argv: ['x'], prompt: 'stdin' }) }\n`,
    )
    const done = await box.ralph(WAVE, { stdin: 'a\n' })
    expect(done.code).toBe(1)
    expect(done.stderr).toContain(message)
  })
})

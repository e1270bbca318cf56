import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'

/** Serves two at a time, each for 0.3 s, and refuses any other at once. */
const NARROW = `#!/bin/bash
item=$(cat)
echo x >> asked.txt
for place in 1 2; do
  if mkdir place-$place 2> /dev/null; then
    sleep 0.3
    rmdir place-$place
    echo "did $item"
    exit
  fi
done
echo x >> refused.txt
exit 75
`

const PLUGIN = `export default {
  name: 'narrow',
  invoke: () => ({ argv: ['./narrow.sh'], prompt: 'stdin' }),
  open(task) {
    const text = []
    return {
      start: () => [{ write: task.prompt }, { closeStdin: true }],
      line: (stream, line) => (text.push(line), []),
      ask: () => [],
      end: ({ exitCode }) =>
        exitCode === 0
          ? { says: [{ event: { type: 'final', text: text.join('') } }], verdict: { ok: true } }
          : { says: [], verdict: { ok: false, class: 'rate_limit', message: '429' } },
    }
  },
}
`

test('a provider that serves two at a time gets a wave of 12 done, with the first burst and few others refused', async () => {
  await using box = sandbox()
  box.script('narrow.sh', NARROW)
  box.write('more/narrow.ts', PLUGIN)
  const items = Array.from({ length: 12 }, (_, i) => `item ${i}`)
  const wave = ['wave', 'run', '--plugins', 'more', '-b', 'narrow', '-j', '8']
  const done = await box.ralph([...wave, '-c', 'features.retry.backoff_seconds=1'], {
    stdin: items.join('\n'),
  })
  expect([done.code, done.stdout.trim().split('\n')]).toEqual([0, items.map((item) => `did ${item}`)])
  const count = (file: string): number => box.read(file).match(/x/g)?.length ?? 0
  const refused = count('refused.txt')
  expect(count('asked.txt')).toBe(12 + refused)
  expect(refused).toBeGreaterThanOrEqual(1)
  expect(refused).toBeLessThanOrEqual(14)
  expect(done.stderr).toMatch(/narrow pushes back \(rate_limit\): at most \d of its agents at once for now/)
  expect(done.stderr.match(/pushes back/g)?.length).toBeLessThanOrEqual(3)
})

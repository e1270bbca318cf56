import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { configure, FW, roleScript, run, rundir } from './fixtures.ts'
import { merged, promptOf, theWave } from './waves.ts'

test('results above the budget of a prompt are shown as head and tail, cut between characters, and kept whole (case 196)', async () => {
  await using box = sandbox()
  configure(box, FW({ hats: { agg: { aggregate: { budget_bytes: 3000 } } } }))
  const results = ['a'.repeat(500), 'é漢😀'.repeat(556).slice(0, 2222), `head ${'b'.repeat(4990)} tail`]
  results.forEach((text, i) => void box.write(`result-${i}`, text))
  roleScript(box, {
    work: '"$RALPH_BIN" emit item.done --payload-file "result-$RALPH_WAVE_INDEX" > /dev/null < /dev/null',
  })
  expect((await run(box)).code).toBe(0)
  expect(merged(box).map((row) => row.payload)).toEqual(results)

  const prompt = promptOf(box, 'agg')
  const [small = '', ...large] = results
  expect(prompt).toContain(small)
  for (const [i, text] of large.entries()) {
    const file = rundir(box, 'waves', theWave(box), String(i + 1), 'result-1.txt')
    expect(box.read(file)).toBe(text)
    expect(prompt).not.toContain(text)
    expect(prompt).toContain(text.slice(0, 100))
    expect(prompt).toContain(text.slice(-100))
    expect(prompt).toMatch(new RegExp(`waves/${theWave(box)}/${i + 1}/result-1\\.txt`))
  }
  expect(prompt).not.toContain('\ufffd')
  expect(prompt.match(/\d+ bytes/g)?.length).toBeGreaterThanOrEqual(2)
  expect(prompt.split('\n')[0]).toContain('2 of the 3 results')
  expect(Buffer.byteLength(prompt)).toBeLessThan(3000 + Buffer.byteLength(promptOf(box, 'disp')) + 3000)
})

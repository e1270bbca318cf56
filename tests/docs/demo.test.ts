import { expect, test } from 'bun:test'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sandbox } from '../helpers/sandbox.ts'

const root = join(import.meta.dir, '../..')
const FILES = ['core/run/decide.ts', 'core/wave/plan.ts', 'core/agent/agent.ts']

test('the demo shows a wave over three files of this repository, says who worked when, and leaves no state', async () => {
  await using box = sandbox()
  for (const file of FILES) cpSync(join(root, file), box.path(file), { recursive: true })
  const temp = box.path('../temp')
  box.write('../temp/.keep', '')

  const { code, stdout, stderr } = await box.sh('node "$DEMO" "$RALPH_BIN"', {
    env: { DEMO: join(root, '.ci/demo.mjs'), TMPDIR: temp },
  })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(stderr).toContain('── Wave complete: 3 succeeded, 0 failed')
  for (const file of FILES)
    expect(stderr).toMatch(new RegExp(`- \`${file}\`: \\d+ lines, the longest \\d+ characters`))

  expect(stdout.split('\n').slice(0, 2).join(' ')).toMatch(
    /coordinator .* three reviewers.* synthesizer .* once/,
  )
  const workers = [...stdout.matchAll(/^ {2}(\w+(?: \d)?) +█+ +[\d.]+ – [\d.]+ s$/gm)].map(([, name]) => name)
  expect(workers).toEqual(['coordinator', 'reviewer 1', 'reviewer 2', 'reviewer 3', 'synthesizer'])

  expect(readdirSync(temp)).toEqual(['.keep'])
  expect(readdirSync(box.path('.ralph/runs'))).toEqual([])
})

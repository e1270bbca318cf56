import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { gemini } from './programs/gemini.ts'
import { settle } from './programs/index.ts'
import { meeting } from './wave.ts'

const ITEMS = Array.from({ length: 16 }, (_, i) => `item-${i + 100}`)

test.each([
  ['claude', claude],
  ['gemini', gemini],
] as const)(
  'sixteen of %s work at once in one home that none has used before',
  async (name, program) => {
    await using box = sandbox()
    const together = meeting(ITEMS.length)
    await using model = startModelServer(async ({ prompt, turn }) => {
      const item = ITEMS.find((one) => prompt.includes(one)) ?? 'no item'
      if (turn > 0) return { text: `done with ${item}` }
      await together()
      return { text: 'I begin.', command: `echo ${item} > ${item}.txt` }
    })
    const env = await settle(program, box, model)

    const run = await box.ralph(
      ['wave', 'run', '-j', `${ITEMS.length}`, '-b', name, '--model', program.model, '--prompt', 'Do {}.'],
      { env, stdin: `${ITEMS.join('\n')}\n` },
    )

    expect(run.stderr).toContain('16 succeeded, 0 failed')
    expect(run).toMatchObject({ code: 0, stdout: ITEMS.map((item) => `done with ${item}\n`).join('') })
    expect(ITEMS.filter((item) => !box.exists(`${item}.txt`))).toEqual([])
    expect(processesOf(box)).toEqual([])
  },
  180_000,
)

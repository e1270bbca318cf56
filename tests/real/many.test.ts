import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { PROGRAMS, settle } from './programs/index.ts'
import { meeting } from './wave.ts'

/** As many as a small machine bears. */
const COUNTS: Readonly<Record<string, number>> = { claude: 16, gemini: 16, codex: 8, opencode: 8, pi: 8 }

await eachProgram(PROGRAMS, (program) => {
  const { name } = program
  const count = COUNTS[name] ?? 8
  const items = Array.from({ length: count }, (_, i) => `item-${i + 100}`)

  test(`${count} of them work at once in one home that none has used before`, async () => {
    await using box = sandbox()
    const together = meeting(items.length)
    await using model = startModelServer(async ({ prompt, turn }) => {
      const item = items.find((one) => prompt.includes(one)) ?? 'no item'
      if (turn > 0) return { text: `done with ${item}` }
      await together()
      return { text: 'I begin.', command: `echo ${item} > ${item}.txt` }
    })
    const env = await settle(program, box, model)

    const run = await box.ralph(
      ['wave', 'run', '-j', `${items.length}`, '-b', name, '--model', program.model, '--prompt', 'Do {}.'],
      { env, stdin: `${items.join('\n')}\n` },
    )

    expect(run.stderr).toContain(`${count} succeeded, 0 failed`)
    expect(run).toMatchObject({ code: 0, stdout: items.map((item) => `done with ${item}\n`).join('') })
    expect(items.filter((item) => !box.exists(`${item}.txt`))).toEqual([])
    expect(processesOf(box)).toEqual([])
  }, 180_000)
})

import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { gemini } from './programs/gemini.ts'
import { settle } from './programs/index.ts'
import { pi } from './programs/pi.ts'

await eachProgram([claude], ({ usdAnAnswer, ...program }) => {
  test.concurrent('that tells of several results in one run has the last of them, and the cost of all', async () => {
    await using box = sandbox()
    const answers = [
      { text: 'I begin.', command: 'sleep 2; echo late', inBackground: true },
      { text: 'It runs.' },
      { text: 'It is done.' },
    ]
    await using server = startModelServer(() => answers.shift() ?? { text: 'Too much.' })
    const env = await settle({ ...program, usdAnAnswer }, box, server)

    const run = await box.ralph(
      ['wave', 'run', '--output', 'jsonl', '-b', program.name, '--model', program.model],
      { env: { ...env, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '' }, stdin: 'Go on.\n' },
    )

    expect(run.code, run.stderr).toBe(0)
    const row = JSON.parse(run.stdout) as Record<string, unknown>
    expect(row).toMatchObject({ status: 'ok', result: 'It is done.', cost_source: 'reported' })
    expect(row.cost_usd).toBeCloseTo(3 * (usdAnAnswer ?? Number.NaN), 6)
    expect(processesOf(box)).toEqual([])
  }, 60_000)
})

await eachProgram([gemini], (program) => {
  test.concurrent('that calls itself a success after it was stopped in a circle is told as failed', async () => {
    await using box = sandbox()
    await using server = startModelServer(() => ({ text: 'Again.', command: 'echo again' }))
    const env = await settle(program, box, server)

    const run = await box.ralph(['wave', 'run', '-b', program.name, '--model', program.model], {
      env,
      stdin: 'Go on.\n',
    })

    expect(run, run.stderr).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('Loop detected')
    expect(run.stderr).toContain('0 succeeded, 1 failed')
  }, 60_000)
})

await eachProgram([pi], (program) => {
  test.concurrent('that exits with 0 although its request was refused is told as failed', async () => {
    await using box = sandbox()
    await using server = startModelServer(() => ({ status: 400, errorType: 'invalid_request_error' }))
    const env = await settle(program, box, server)

    const run = await box.ralph(['wave', 'run', '-b', program.name, '--model', program.model], {
      env,
      stdin: 'Go on.\n',
    })

    expect(run, run.stderr).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('0 succeeded, 1 failed')
    const [wave = ''] = /w-[0-9a-f-]+/.exec(run.stderr) ?? []
    const results = await box.ralph(['wave', 'results', wave], { env })
    expect(results.stdout).toContain('scripted invalid_request_error')
  }, 60_000)
})

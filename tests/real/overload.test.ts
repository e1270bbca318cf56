import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { PROGRAMS, settle } from './programs/index.ts'

await eachProgram(PROGRAMS, (program) => {
  const { name, model, overloaded } = program
  const refusal = { status: overloaded, errorType: 'overloaded_error' }
  const args = ['wave', 'run', '-b', name, '--model', model]

  test.concurrent('that meets a rate limit, then an overloaded model, still has its result', async () => {
    await using box = sandbox()
    let met = 0
    await using server = startModelServer(() => {
      met += 1
      if (met === 1) return { status: 429, errorType: 'rate_limit_error' }
      return met === 2 ? refusal : { text: 'Recovered.' }
    })
    const env = await settle(program, box, server)
    box.write('ralph.yml', 'features: { retry: { backoff_seconds: 1 } }\n')

    const run = await box.ralph(args, { env, stdin: 'Go on.\n' })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'Recovered.\n' })
    expect(run.stderr).toContain('1 succeeded, 0 failed')
  }, 90_000)

  // By itself it asks an overloaded model for over a minute, and nothing can tell it otherwise.
  if (name === 'opencode') return
  test.concurrent('whose model stays overloaded is tried again for that reason, then told as failed', async () => {
    await using box = sandbox()
    await using server = startModelServer(() => refusal)
    const env = await settle(program, box, server)
    box.write('ralph.yml', 'features: { retry: { attempts: 2, backoff_seconds: 1 } }\n')

    const run = await box.ralph(args, { env, stdin: 'Go on.\n' })

    expect(run, run.stderr).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/↻ Worker 1\/1 again in .* \[overload] attempt 2\/2/)
    expect(run.stderr).toMatch(/✗ Worker 1\/1 failed .* \[failed]/)
    expect(run.stderr).toContain('0 succeeded, 1 failed')
    const [wave = ''] = /w-[0-9a-f-]+/.exec(run.stderr) ?? []
    const results = await box.ralph(['wave', 'results', wave, '--json'], { env })
    expect(JSON.parse(results.stdout)).toMatchObject([
      { reason: expect.stringMatching(/^overload: /), attempts: 2 },
    ])
    expect(processesOf(box)).toEqual([])
  }, 90_000)
})

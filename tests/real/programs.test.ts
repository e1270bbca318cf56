import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Finished, type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { filesOf, processesOf } from './left-over.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { PROGRAMS, settle } from './programs/index.ts'
import { KEY } from './programs/program.ts'
import { collectionFor, FILES, fileOf, meeting, play, reviewOf } from './wave.ts'

await eachProgram(PROGRAMS, (program) => {
  const { name, model } = program

  describe('plays a wave of three', () => {
    let box: Sandbox
    let server: ModelServer
    let env: Record<string, string>
    let run: Finished

    beforeAll(async () => {
      box = sandbox()
      const together = meeting(FILES.length)
      server = startModelServer((request) => play(request, together))
      env = { ...(await settle(program, box, server)), RALPH_DIAGNOSTICS: '1' }
      box.write('ralph.yml', collectionFor(program))
      run = await box.ralph(['run', '-p', 'Review the three files.', '--max-iterations', '5'], { env })
    }, 120_000)

    afterAll(async () => {
      await server[Symbol.asyncDispose]()
      await box[Symbol.asyncDispose]()
    })

    test('at once, with results as they were written', () => {
      expect(run, run.stderr).toMatchObject({ code: 0, stdout: `${FILES.map(reviewOf).join('\n')}\n` })
      const reviews = server.requests.filter(
        ({ prompt, turn }) => prompt.includes('PLAY-REVIEWER') && turn === 0,
      )
      expect(reviews.map(fileOf).sort()).toEqual([...FILES])
    })

    test('and leaves neither a process nor a file', () => {
      expect(processesOf(box)).toEqual([])
      expect(filesOf(box)).toEqual([])
    })

    test('and all that the model took stands in the closing line and in the status; unknown stays unknown', async () => {
      const { input, output, answers } = server.told
      const status = await box.ralph(['status'], { env })
      const found = JSON.parse((await box.ralph(['status', '--json'], { env })).stdout)

      expect(found).toMatchObject({ input_tokens: input, output_tokens: output, agents_started: 5 })
      expect(status.stdout).toContain(`${input} in, ${output} out`)
      if (program.usdAnAnswer === null) {
        expect(found).toMatchObject({ cost_usd: null, cost_source: null })
        expect(status.stdout).toMatch(/^cost +unknown$/m)
        expect(run.stderr).toMatch(/── Run ended: completed \|.*\| cost unknown ──/)
      } else {
        const usd = answers * program.usdAnAnswer
        expect(found.cost_source).toBe('reported')
        expect(found.cost_usd).toBeCloseTo(usd, 7)
        expect(status.stdout).toMatch(/^cost +\$0\.0\d+ \(reported\)$/m)
        expect(run.stderr).toContain(`| cost $${found.cost_usd.toFixed(4)} ──`)
      }
    })

    test('and what each worker took stands below its wave and beside its result', async () => {
      const [wave = ''] = await wavesOf(box)
      const items = JSON.parse((await box.ralph(['wave', 'results', wave, '--json'], { env })).stdout)
      const answersOf = (file: string): number =>
        server.requests.filter((one) => one.prompt.includes('PLAY-REVIEWER') && fileOf(one) === file).length
      const { input, output, answers } = server.told

      FILES.forEach((file, i) => {
        const count = answersOf(file)
        expect(items[i]).toMatchObject({
          input_tokens: (count * input) / answers,
          output_tokens: (count * output) / answers,
          cost_source: program.usdAnAnswer === null ? null : 'reported',
        })
        if (program.usdAnAnswer === null) expect(items[i].cost_usd).toBeNull()
        else expect(items[i].cost_usd).toBeCloseTo(count * program.usdAnAnswer, 7)
        const cost = program.usdAnAnswer === null ? 'cost unknown' : `$${items[i].cost_usd.toFixed(4)}`
        expect(run.stderr).toContain(`    ${i + 1}: ${cost} | `)
      })
    })

    test('and its key, which a tool has printed, stands in nothing that the run wrote', async () => {
      const found = await box.sh('grep -rlF -- "$SOUGHT" "$HOME/.local/state" .ralph', {
        env: { SOUGHT: KEY },
      })

      expect(server.told.answers).toBeGreaterThan(0)
      expect(box.exists('.ralph/diagnostics')).toBe(true)
      // Of grep: no line was selected.
      expect(found).toMatchObject({ code: 1, stdout: '' })
      expect(run.stdout + run.stderr).not.toContain(KEY)
    })
  })

  test('with a wrong key ends the run as backend_unavailable, soon', async () => {
    await using box = sandbox()
    await using server = startModelServer(() => ({ status: 401, errorType: 'authentication_error' }))
    const env = await settle(program, box, server)
    const began = performance.now()

    const run = await box.ralph(['run', '-b', name, '--model', model, '-p', 'Go on.'], { env })

    expect(run, run.stderr).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('backend_unavailable')
    expect(run.stderr).not.toContain(KEY)
    expect(performance.now() - began).toBeLessThan(30_000)
    // One that was asked for its version is killed at the very end, and may still be dying.
    await until('the end of all', () => processesOf(box).length === 0, 2000)
  }, 60_000)

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)(
    'is ended with its tools when ralph gets %s in the middle of one',
    async (signal, code) => {
      await using box = sandbox()
      await using server = startModelServer(() => ({
        text: 'I wait.',
        command: 'echo begun > begun.txt; sleep 4711 & sleep 4712; echo woke',
      }))
      const env = await settle(program, box, server)

      const run = box.start(['run', '-b', name, '--model', model, '-p', 'Wait.'], { env })
      await until('the tool', () => box.exists('begun.txt'), 30_000)
      expect(processesOf(box).join('\n')).toContain('sleep 4712')
      run.kill(signal)

      expect(await run.finished).toMatchObject({ code, stdout: '' })
      expect(processesOf(box)).toEqual([])
    },
    60_000,
  )
})

async function wavesOf(box: Sandbox): Promise<readonly string[]> {
  const { stdout } = await box.sh('ls -d "$HOME"/.local/state/ralph/runs/*/waves/*')
  return stdout.split('\n').flatMap((path) => (path === '' ? [] : [path.slice(path.lastIndexOf('/') + 1)]))
}

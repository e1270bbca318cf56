import { beforeAll, describe, expect, test } from 'bun:test'
import { sandbox, until } from '../helpers/sandbox.ts'
import { filesOf, processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { installPrograms, PROGRAMS, settle } from './programs/index.ts'
import { collectionFor, FILES, fileOf, meeting, play, reviewOf } from './wave.ts'

beforeAll(installPrograms, 300_000)

describe.each(PROGRAMS.map((program) => [program.name, program] as const))('%s', (name, program) => {
  test('plays a wave: three at once, results as they were written, nothing left', async () => {
    await using box = sandbox()
    const together = meeting(FILES.length)
    await using model = startModelServer((request) => play(request, together))
    const env = await settle(program, box, model)
    box.write('ralph.yml', collectionFor(program))

    const run = await box.ralph(['run', '-p', 'Review the three files.', '--max-iterations', '5'], { env })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: `${FILES.map(reviewOf).join('\n')}\n` })
    const reviews = model.requests.filter(
      ({ prompt, turn }) => prompt.includes('PLAY-REVIEWER') && turn === 0,
    )
    expect(reviews.map(fileOf).sort()).toEqual([...FILES])
    expect(processesOf(box)).toEqual([])
    expect(filesOf(box)).toEqual([])
  }, 120_000)

  test('with a wrong key ends the run as backend_unavailable, soon', async () => {
    await using box = sandbox()
    await using model = startModelServer(() => ({ status: 401, errorType: 'authentication_error' }))
    const env = await settle(program, box, model)
    const began = performance.now()

    const run = await box.ralph(['run', '-b', name, '--model', program.model, '-p', 'Go on.'], { env })

    expect(run, run.stderr).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('backend_unavailable')
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(processesOf(box)).toEqual([])
  }, 60_000)

  test('that meets a rate limit once still has its result', async () => {
    await using box = sandbox()
    let met = 0
    await using model = startModelServer(() => {
      met += 1
      return met === 1 ? { status: 429, errorType: 'rate_limit_error' } : { text: 'Recovered.' }
    })
    const env = await settle(program, box, model)
    box.write('ralph.yml', 'features: { retry: { backoff_seconds: 1 } }\n')

    const run = await box.ralph(['wave', 'run', '-b', name, '--model', program.model], {
      env,
      stdin: 'Go on.\n',
    })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'Recovered.\n' })
  }, 60_000)

  test('is ended with its tools when ralph gets TERM in the middle of one', async () => {
    await using box = sandbox()
    await using model = startModelServer(() => ({
      text: 'I wait.',
      command: 'echo begun > begun.txt; sleep 4711 & sleep 4712; echo woke',
    }))
    const env = await settle(program, box, model)

    const run = box.start(['run', '-b', name, '--model', program.model, '-p', 'Wait.'], { env })
    await until('the tool', () => box.exists('begun.txt'), 30_000)
    expect(processesOf(box).join('\n')).toContain('sleep 4712')
    run.kill('SIGTERM')

    expect(await run.finished).toMatchObject({ code: 143 })
    expect(processesOf(box)).toEqual([])
  }, 60_000)
})

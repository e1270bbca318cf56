import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { gemini } from './programs/gemini.ts'
import { PROGRAMS, settle } from './programs/index.ts'

const HANGS = {
  text: 'I wait.',
  command: 'echo begun > begun.txt; sleep 4711 & sleep 4712; echo woke',
} as const

await eachProgram(PROGRAMS, (program) => {
  const { name, model } = program

  // It begins so slowly that beside others it would not reach its tool.
  const alone = name === 'opencode' ? test : test.concurrent
  // It computes for a minute while it waits for its tool.
  const calm = name === 'opencode' ? null : test.concurrent

  alone(
    'that is not done at its timeout is ended with its tools',
    async () => {
      await using box = sandbox()
      await using server = startModelServer(() => HANGS)
      const env = await settle(program, box, server)

      const run = await box.ralph(['wave', 'run', '-b', name, '--model', model, '--timeout', '15'], {
        env,
        stdin: 'Wait.\n',
      })

      expect(run, run.stderr).toMatchObject({ code: 1, stdout: '' })
      expect(run.stderr).toMatch(/✗ Worker 1\/1 failed \(1\ds\) \[timeout] — Wait\./)
      expect(box.exists('begun.txt')).toBe(true)
      expect(processesOf(box)).toEqual([])
    },
    90_000,
  )

  calm?.(
    'whose tool is silent, yet not for too long, is let be',
    async () => {
      await using box = sandbox()
      await using server = startModelServer(
        ({ turn }) =>
          [
            { text: 'I wait.', command: 'cd . && sleep 6 && echo woke' },
            { text: 'I waited.', command: "ralph emit LOOP_COMPLETE 'waited'" },
          ][turn] ?? { text: 'That is all.' },
      )
      const env = await settle(program, box, server)
      box.write('ralph.yml', `adapters: { ${name}: { timeout: 15 } }\n`)

      const run = await box.ralph(['run', '-b', name, '--model', model, '-p', 'Wait.'], { env })

      expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'waited\n' })
      expect(run.stderr).not.toContain('error:')
    },
    90_000,
  )

  calm?.(
    'whose tool is silent for too long is ended with it, and that is no success',
    async () => {
      await using box = sandbox()
      await using server = startModelServer(() => HANGS)
      const env = await settle(program, box, server)
      box.write('ralph.yml', `adapters: { ${name}: { timeout: 5 } }\n`)

      const run = await box.ralph(
        ['run', '-b', name, '--model', model, '-p', 'Wait.', '--max-iterations', '1'],
        { env },
      )

      expect(run, run.stderr).toMatchObject({ code: 2, stdout: '' })
      expect(run.stderr).toMatch(/error: iteration 1 failed \([\d.]+s\): ended for inactivity/)
      expect(box.exists('begun.txt')).toBe(true)
      expect(processesOf(box)).toEqual([])
    },
    90_000,
  )

  test.concurrent('gets a prompt of 200 KB whole', async () => {
    await using box = sandbox()
    const words = Array.from({ length: 20_000 }, (_, i) => `word${i + 10_000}`).join(' ')
    await using server = startModelServer(async ({ prompt }) => {
      // One of them repeats the prompt on stdout, and drops what is not written when it ends: no model answers at once.
      await Bun.sleep(3000)
      return { text: prompt.includes(words) ? 'It is all there.' : `${prompt.length} characters.` }
    })
    const env = await settle(program, box, server)

    const run = await box.ralph(['wave', 'run', '-b', name, '--model', model], {
      env,
      stdin: `${words}\n`,
    })

    expect(words.length).toBeGreaterThan(199_000)
    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'It is all there.\n' })
  }, 90_000)
})

/** How a user sets the limit of turns: an argument, or a setting of the workspace. */
const TURN_LIMITS = {
  claude: { args: ['--', '--max-turns', '1'], settings: {} },
  gemini: { args: [], settings: { model: { maxSessionTurns: 1 } } },
} as const

await eachProgram([claude, gemini], (program) => {
  test.concurrent('that reaches its own limit of turns is told as failed, and not tried again', async () => {
    await using box = sandbox()
    await using server = startModelServer(({ turn }) => ({ text: 'On and on.', command: `echo ${turn}` }))
    const env = await settle(program, box, server)
    const { args, settings } = program.name === 'claude' ? TURN_LIMITS.claude : TURN_LIMITS.gemini
    box.write('.gemini/settings.json', JSON.stringify(settings))

    const run = await box.ralph(
      ['wave', 'run', '--output', 'jsonl', '-b', program.name, '--model', program.model, ...args],
      { env, stdin: 'Go on.\n' },
    )

    expect(run.code, run.stderr).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'failed', result: null, attempts: 1 })
    expect(run.stderr).toMatch(/✗ Worker 1\/1 failed .* \[failed]/)
    const [wave = ''] = /w-[0-9a-f-]+/.exec(run.stderr) ?? []
    const results = await box.ralph(['wave', 'results', wave, '--json'], { env })
    expect(JSON.parse(results.stdout)).toMatchObject([{ reason: expect.stringMatching(/^turn_limit: /) }])
  }, 90_000)
})

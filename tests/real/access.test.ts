import { expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { sandbox } from '../helpers/sandbox.ts'
import type { Message } from './dialects/dialect.ts'
import { eachProgram } from './each-program.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { codex } from './programs/codex.ts'
import { gemini } from './programs/gemini.ts'
import { settle } from './programs/index.ts'
import { opencode } from './programs/opencode.ts'

const PROGRAMS = [claude, codex, gemini, opencode] as const

/** What an agent tries in vain, one after the other. */
const TRIES = [
  'touch pwned',
  'ralph emit x y; touch pwned',
  'ralph emit x y && touch pwned',
  'ralph emit x y > pwned',
  'ralph emit x "$(touch pwned)"',
]

type File = NonNullable<Message['file']>

/** What the program would heed of its own accord the next time. */
const FORGED: Readonly<Record<string, readonly File[]>> = {
  gemini: [
    { name: '.gemini/settings.json', text: '{}' },
    { name: './src/../.env', text: 'BASH_ENV=x' },
  ],
}

await eachProgram(PROGRAMS, (program) => {
  const { name } = program

  test('with access to read cannot write, try as it may, and still hands over its result', async () => {
    await using box = sandbox()
    await using model = startModelServer(({ turn }) => ({
      text: `turn ${turn}`,
      ...(turn <= TRIES.length ? { command: TRIES[turn] ?? "ralph emit LOOP_COMPLETE 'the result'" } : {}),
    }))
    const env = await settle(program, box, model)
    box.write('.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash(touch:*)'] } }))
    const args = ['run', '-b', name, '--model', program.model, '--access', 'read', '-p', 'Go on.']

    const run = await box.ralph(args, { env })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'the result\n' })
    expect(box.exists('pwned')).toBe(false)
    expect(model.requests.at(-1)?.turn).toBe(TRIES.length + 1)
  }, 120_000)

  test('with access to edit cannot write elsewhere, and hands over its result', async () => {
    await using box = sandbox()
    // Not in a temporary folder: the sandbox of one of them lets those be written.
    const outside = `${await program.install()}.outside`
    const tries: readonly (string | File)[] = [
      ...(FORGED[name] ?? []),
      `touch ${outside}`,
      `ralph emit x y > ${outside}`,
      `ralph emit x y; cp ralph.yml ${outside}`,
    ]
    await using model = startModelServer(({ turn }) => ({
      text: `turn ${turn}`,
      ...(turn <= tries.length ? called(tries[turn] ?? "ralph emit LOOP_COMPLETE 'the result'") : {}),
    }))
    const env = await settle(program, box, model)
    const args = ['run', '-b', name, '--model', program.model, '--access', 'edit', '-p', 'Go on.']

    const run = await box.ralph(args, { env })

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'the result\n' })
    const written = existsSync(outside)
    rmSync(outside, { force: true })
    expect(written).toBe(false)
    expect((FORGED[name] ?? []).filter((file) => box.exists(file.name))).toEqual([])
  }, 120_000)
})

const called = (attempt: string | File): Partial<Message> =>
  typeof attempt === 'string' ? { command: attempt } : { file: attempt }

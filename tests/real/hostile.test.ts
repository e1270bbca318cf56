import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Access } from '../../core/access.ts'
import { type Finished, type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { layTraps } from './hostile.ts'
import { startModelServer } from './model-server.ts'
import { PROGRAMS, settle } from './programs/index.ts'
import type { Program } from './programs/program.ts'

/** Beside these files the programs hold nobody to a level: no agent starts before they are gone. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  gemini: ['.gemini/settings.json', '.gemini/agents', '.gemini/.env', '.env'],
  opencode: [
    'opencode.json',
    'opencode.jsonc',
    '.opencode/opencode.json',
    '.opencode/opencode.jsonc',
    '.opencode/plugin',
    '.opencode/plugins',
  ],
}

await eachProgram(PROGRAMS, (program) => {
  const refused = REFUSED[program.name] ?? []

  test.concurrent('runs nothing that a hostile workspace brings along, for an ordinary user who asks for a level', async () => {
    await using box = sandbox()
    await using model = startModelServer(answering(program))
    const env = await settle(program, box, model)
    const hostile = layTraps(program.name, box)

    for (const level of levelsOf(program)) {
      for (const path of level === 'read' ? refused : []) {
        const { code, stderr } = await play(program, box, { level, env })
        expect([code, stderr]).toEqual([1, expect.stringContaining(`: ${path} would undo access "${level}"`)])
        expect(model.requests).toEqual([])
        rmSync(box.path(path), { recursive: true })
      }
      const { code, stderr } = await play(program, box, { level, env })
      expect(code, stderr).toBe(0)
      expect(hostile.sprung()).toEqual([])
    }
  }, 180_000)

  test.concurrent('would run it with full access: the traps are no dummies', async () => {
    await using box = sandbox()
    await using model = startModelServer(answering(program))
    const env = await settle(program, box, model)
    const hostile = layTraps(program.name, box)

    // Told to leave the project's configuration out, opencode still runs plugins of it; else it looks for packages on the net first.
    const leftOut = { ...env, OPENCODE_DISABLE_PROJECT_CONFIG: '1' }
    const run = box.start(wordsFor(program, 'full'), { env: leftOut, stdin: 'x\n' })

    expect(await until('a trap to spring', () => hostile.sprung().at(0), 60_000)).toBeString()
    run.kill('SIGINT')
    await run.finished
  }, 180_000)
})

/** The one that knows no rules for commands is for waves alone. */
const levelsOf = ({ name }: Program): readonly Access[] => (name === 'pi' ? ['read'] : ['read', 'edit'])

const answering =
  ({ name }: Program) =>
  ({ turn }: { readonly turn: number }) => ({
    text: `turn ${turn}`,
    ...(turn === 0 && name !== 'pi' ? { command: "ralph emit LOOP_COMPLETE 'the result'" } : {}),
  })

/** One agent. Not as root where that can be had: the word of root counts for more with some programs. */
function play(
  program: Program,
  box: Sandbox,
  { level, env }: { readonly level: Access; readonly env: Readonly<Record<string, string>> },
): Promise<Finished> {
  const words = wordsFor(program, level).map((word) => `'${word}'`)
  return box.sh(`exec ${ordinary()} "$RALPH_BIN" ${words.join(' ')}`, { env, stdin: 'x\n' })
}

function wordsFor({ name, model }: Program, level: Access): readonly string[] {
  const what =
    name === 'pi' ? ['wave', 'run', '--prompt', 'Do {}'] : ['run', '-p', 'Go on.', '--max-iterations', '1']
  return [...what, '-b', name, '--model', model, '--access', level]
}

/** Words before a command that make root an ordinary user. */
function ordinary(): string {
  if (process.getuid?.() !== 0) return ''
  const words = ['unshare', '--user', '--map-user=1000', '--map-group=1000']
  const { success } = Bun.spawnSync([...words, 'true'], { stdout: 'ignore', stderr: 'ignore' })
  return success ? words.join(' ') : ''
}

import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'

const RUN = ['run', '-q', '-p', 'x', '--max-iterations', '1']

/** A codex that ends at once, and notes each time that it is asked its version. */
function codex(box: Sandbox, version: string, path = '../bin/codex'): Record<string, string> {
  const asked = join(dirname(box.home), 'asked')
  const done = `cat > /dev/null; echo '{"type":"turn.completed"}'`
  const file = box.script(
    path,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo x >> ${asked}; ${version}; exit; fi\n${done}\n`,
  )
  return { PATH: `${dirname(file)}:${process.env.PATH}` }
}

function asked(box: Sandbox): number {
  const path = join(dirname(box.home), 'asked')
  return existsSync(path) ? readFileSync(path, 'utf8').length / 2 : 0
}

/** The manifest of the last run. */
async function manifest(box: Sandbox): Promise<{ versions: Record<string, string | null> }> {
  const { stdout } = await box.sh('ls -td "$HOME"/.local/state/ralph/runs/* | head -1')
  return JSON.parse(readFileSync(join(stdout.trim(), 'journal.jsonl'), 'utf8').split('\n')[0] ?? '')
}

describe.concurrent("the first record of a run's journal", () => {
  test('names the version of each program; one that has not changed is asked once (case 181)', async () => {
    await using box = sandbox()
    const env = codex(box, 'echo codex-cli 9.9.9')
    for (const _ of [1, 2]) {
      await box.ralph([...RUN, '-b', 'codex'], { env })
      expect((await manifest(box)).versions).toEqual({ codex: 'codex-cli 9.9.9' })
    }
    expect(asked(box)).toBe(1)
    const kept = join(box.home, '.local/state/ralph/versions.json')
    expect(statSync(kept).mode & 0o777).toBe(0o600)

    codex(box, 'echo codex-cli 10.0.0')
    await box.ralph(['wave', 'run', '-b', 'codex'], { env, stdin: 'one\n' })
    expect((await manifest(box)).versions).toEqual({ codex: 'codex-cli 10.0.0' })
    expect(asked(box)).toBe(2)
  })

  test('asks again what another file of the same size has become, and does without what it kept', async () => {
    await using box = sandbox()
    const env = codex(box, 'echo codex-cli 9.9.9')
    await box.ralph([...RUN, '-b', 'codex'], { env })
    utimesSync(join(dirname(box.home), 'bin/codex'), 1, 1)
    await box.ralph([...RUN, '-b', 'codex'], { env })
    expect(asked(box)).toBe(2)
    box.write('../home/.local/state/ralph/versions.json', '[["torn')
    await box.ralph([...RUN, '-b', 'codex'], { env })
    expect((await manifest(box)).versions).toEqual({ codex: 'codex-cli 9.9.9' })
    expect(asked(box)).toBe(3)
  })

  test('has null for what was not asked: a program of the workspace, a configured one, one behind a wrapper', async () => {
    await using box = sandbox()
    const env = codex(box, 'echo codex-cli 9.9.9', 'bin/codex')
    await box.ralph([...RUN, '-b', 'codex'], { env })
    expect((await manifest(box)).versions).toEqual({ codex: null })
    const outside = codex(box, 'echo codex-cli 9.9.9')
    const program = join(dirname(box.home), 'bin/codex')
    await box.ralph([...RUN, '-b', 'codex', '-c', `cli.command=${program}`], { env: outside })
    await box.ralph([...RUN, '-b', 'codex', '-c', 'cli.wrap=[env]'], { env: outside })
    expect((await manifest(box)).versions).toEqual({ codex: null })
    await box.ralph([...RUN, '-b', 'custom', '-c', `cli.command=${program}`], { env: outside })
    expect((await manifest(box)).versions).toEqual({ custom: null })
    expect(asked(box)).toBe(0)
  })

  test('has null for an answer without a number, and for a program that fails', async () => {
    await using box = sandbox()
    await box.ralph([...RUN, '-b', 'codex'], { env: codex(box, 'echo unknown flag') })
    expect((await manifest(box)).versions).toEqual({ codex: null })
    await box.ralph([...RUN, '-b', 'codex'], { env: codex(box, 'echo codex-cli 9.9.9; exit 3') })
    expect((await manifest(box)).versions).toEqual({ codex: null })
  })

  test('does not wait for long; what has not answered by the end of the run is ended', async () => {
    await using box = sandbox()
    const pid = join(dirname(box.home), 'pid')
    const env = codex(box, `echo $$ > ${pid}; sleep 4711`)
    const done = await box.ralph([...RUN, '-b', 'codex'], { env })
    expect([done.code, (await manifest(box)).versions]).toEqual([2, { codex: null }])
    const { stdout } = await box.sh(`ps -o stat= -g ${readFileSync(pid, 'utf8').trim()} | grep -v Z`)
    expect(stdout).toBe('')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing that was asked behind on %s', async (signal) => {
    await using box = sandbox()
    const file = join(dirname(box.home), 'pid')
    const run = box.start([...RUN, '-b', 'codex'], { env: codex(box, `echo $$ > ${file}; sleep 4711`) })
    const pid = await until('the program', () => existsSync(file) && readFileSync(file, 'utf8').trim())
    run.kill(signal)
    expect((await run.finished).code).toBe(signal === 'SIGINT' ? 130 : 143)
    const { stdout } = await box.sh(`ps -o stat= -g ${pid} | grep -v Z`)
    expect(stdout).toBe('')
  })

  test('is written where no answer can be kept', async () => {
    await using box = sandbox()
    mkdirSync(join(box.home, '.local/state/ralph/versions.json'), { recursive: true })
    const done = await box.ralph([...RUN, '-b', 'codex'], { env: codex(box, 'echo codex-cli 9.9.9') })
    expect((await manifest(box)).versions).toEqual({ codex: 'codex-cli 9.9.9' })
    expect(done.stderr).not.toContain('versions.json')
  })
})

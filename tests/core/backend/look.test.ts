import { describe, expect, test } from 'bun:test'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInside } from '../../../cli/trust/inside.ts'
import { createLook } from '../../../core/backend/look.ts'
import { sandbox, until } from '../../helpers/sandbox.ts'

const PATH = process.env.PATH ?? '/usr/bin:/bin'

describe('which', () => {
  test('finds programs on the PATH of the environment it was given, first folder first', async () => {
    await using box = sandbox()
    const first = box.script('one/agent', '#!/bin/sh\n')
    box.script('two/agent', '#!/bin/sh\n')
    box.write('one/plain', 'no program')
    const look = createLook({ env: { PATH: `${box.path('one')}:${box.path('two')}` }, uid: 1 })
    expect(look.which('agent')).toBe(first)
    expect(look.which('plain')).toBeNull()
    expect(look.which('absent')).toBeNull()
  })

  test('takes a path as it is', () => {
    const look = createLook({ env: {}, uid: 1 })
    expect(look.which('/bin/sh')).toBe('/bin/sh')
    expect(look.which('/bin/no-such-program')).toBeNull()
  })
})

describe('run', () => {
  test('gives both outputs and the exit code, with an empty stdin', async () => {
    await using box = sandbox()
    const program = box.script('agent', '#!/bin/sh\ncat; echo "$1 $HOME"; echo no >&2; exit 3\n')
    const look = createLook({ env: { PATH, HOME: '/nowhere' }, uid: 1 })
    expect(await look.run(program, ['--version'])).toEqual({
      exitCode: 3,
      stdout: '--version /nowhere\n',
      stderr: 'no\n',
    })
  })

  test('ends a program that does not end by itself, with all it started', async () => {
    await using box = sandbox()
    const program = box.script('agent', '#!/bin/sh\ntrap "" TERM\necho $$\nsleep 300 & sleep 300\n')
    const { exitCode, stdout } = await createLook({ env: { PATH }, uid: 1, limitMs: 200 }).run(program, [])
    expect(exitCode).toBeNull()
    expect(isGroupAlive(Number(stdout))).toBe(false)
  })

  test('does not wait for what the program left behind', async () => {
    await using box = sandbox()
    const program = box.script('agent', '#!/bin/sh\nsleep 300 &\necho 1.0\n')
    const begun = performance.now()
    const { exitCode } = await createLook({ env: { PATH }, uid: 1 }).run(program, [])
    expect(exitCode).toBe(0)
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  test('tells of a program that cannot be started instead of throwing', async () => {
    const ran = await createLook({ env: { PATH }, uid: 1 }).run('/bin/no-such-program', [])
    expect(ran.exitCode).toBeNull()
    expect(ran.stderr).not.toBe('')
  })
})

describe('what must not be started', () => {
  test('is refused, also behind a link and by its name on PATH', async () => {
    await using box = sandbox()
    const script = `#!/bin/sh\n: > ${box.path('../started')}\n`
    const inside = box.script('agent', script)
    symlinkSync(inside, join(box.home, 'linked'))
    const env = { PATH: `${box.dir}:${box.home}:${PATH}` }
    const look = createLook({ env, uid: 1, isForeign: createInside(box.dir, null) })
    expect(look.which('agent')).toBe(inside)
    for (const program of [inside, 'agent', 'linked']) {
      expect(await look.run(program, [])).toMatchObject({
        exitCode: null,
        refused: expect.stringMatching(/./),
      })
    }
    expect(existsSync(box.path('../started'))).toBe(false)
  })

  test('helps no other program to start: its folders are not on the PATH that this one gets', async () => {
    await using box = sandbox()
    box.script('bin/helper', '#!/bin/sh\necho planted\n')
    const program = box.script('../own/agent', '#!/bin/sh\nhelper || echo "no helper; $PATH"\n')
    const env = { PATH: `${box.path('bin')}:.:${PATH}` }
    const look = createLook({ env, uid: 1, isForeign: createInside(box.dir, null) })
    expect((await look.run(program, [])).stdout).toBe(`no helper; ${PATH}\n`)
  })
})

test('programs stand outside of the workspace, whose settings some of them would execute', async () => {
  await using box = sandbox()
  const program = box.script('agent', '#!/bin/sh\npwd\n')
  expect((await createLook({ env: { PATH }, uid: 1 }).run(program, [])).stdout).toBe('/\n')
})

test('a signal ends what runs, and lets nothing more begin', async () => {
  await using box = sandbox()
  const program = box.script('agent', `#!/bin/sh\necho $$ > ${box.path('pid')}\nsleep 300\n`)
  const end = new AbortController()
  const look = createLook({ env: { PATH }, uid: 1, signal: end.signal })
  const running = look.run(program, [])
  const pid = await until('the program', () => box.exists('pid') && Number(box.read('pid')))
  end.abort()
  expect((await running).exitCode).toBeNull()
  expect(isGroupAlive(pid)).toBe(false)
  expect((await look.run('/bin/true', [])).exitCode).toBeNull()
})

/** What waits to be reaped counts as gone. */
function isGroupAlive(leader: number): boolean {
  const { stdout } = Bun.spawnSync(['ps', '-e', '-o', 'pgid=,stat='])
  return new RegExp(`^ *${leader} +[^ZX]`, 'm').test(`${stdout}`)
}

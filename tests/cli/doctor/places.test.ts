import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { examineStateFolder, examineWorkspace } from '../../../cli/doctor/folders.ts'
import { lookForLogin } from '../../../cli/doctor/login.ts'
import { examinePath } from '../../../cli/doctor/path.ts'
import { createInside } from '../../../cli/trust/inside.ts'
import type { Login } from '../../../core/backend/contract.ts'
import { createLook } from '../../../core/backend/look.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

describe('PATH', () => {
  const examine = (box: Sandbox, PATH: string, programs: readonly string[] = []) =>
    examinePath({
      look: createLook({ env: { PATH }, uid: 1 }),
      executable: join(box.home, 'ralph'),
      isInside: createInside(box.dir, null),
      programs,
    })

  test('is fine where it is absolute and leads to this very ralph', async () => {
    await using box = sandbox()
    box.script('../home/ralph', '')
    mkdirSync(join(box.home, 'bin'))
    symlinkSync(join(box.home, 'ralph'), join(box.home, 'bin/ralph'))
    expect(examine(box, `${box.home}/bin:/usr/bin`).map(({ check, state }) => [check, state])).toEqual([
      ['PATH', 'ok'],
      ['ralph', 'ok'],
    ])
  })

  test.each([
    ['.:/usr/bin', 'the relative folder .'],
    ['/usr/bin::/bin', 'an empty entry'],
    ['/usr/bin:bin', 'the relative folder bin'],
    ['', 'an empty entry'],
  ])('%p may start what lies in the current folder', async (PATH, detail) => {
    await using box = sandbox()
    expect(examine(box, PATH)[0]).toMatchObject({
      check: 'PATH',
      state: 'warn',
      detail: expect.stringContaining(detail),
    })
  })

  test('with a folder of the workspace is named', async () => {
    await using box = sandbox()
    const [check] = examine(box, `${box.path('node_modules/.bin')}:/usr/bin`)
    expect(check).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('node_modules/.bin lies in'),
    })
  })

  test('that has two different programs of one name says which is started; links to one are no trouble', async () => {
    await using box = sandbox()
    const first = box.script('../home/a/agent', '1')
    const other = box.script('../home/b/agent', '2')
    mkdirSync(join(box.home, 'c'))
    symlinkSync(first, join(box.home, 'c/agent'))
    const [twice] = examine(box, `${box.home}/a:${box.home}/b`, ['agent'])
    expect(twice?.detail).toBe(`agent is there more than once: ${first} is started, not ${other}`)
    expect(examine(box, `${box.home}/a:${box.home}/c`, ['agent'])[0]?.state).toBe('ok')
  })

  test('that leads to another ralph, or to none, says which one this is', async () => {
    await using box = sandbox()
    box.script('../home/ralph', '')
    expect(examine(box, '/usr/bin').at(-1)).toMatchObject({ check: 'ralph', state: 'warn' })
    const other = box.script('../home/old/ralph', '')
    expect(examine(box, join(box.home, 'old')).at(-1)?.detail).toContain(`another one, ${other}`)
  })
})

describe('folders', () => {
  const state = (box: Sandbox, env: Record<string, string>) =>
    examineStateFolder(env, createInside(box.dir, box.home))

  test('the state folder is the one that runs use; nothing is made', async () => {
    await using box = sandbox()
    const check = state(box, { HOME: box.home })
    expect(check).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('.local/state/ralph, made by'),
    })
    expect(box.exists('../home/.local')).toBe(false)
  })

  test('a state folder that others can write is a danger', async () => {
    await using box = sandbox()
    const folder = join(box.home, 'state')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    expect(state(box, { RALPH_STATE_DIR: folder })).toMatchObject({
      state: 'warn',
      todo: `chmod 0700 ${folder}`,
    })
    chmodSync(folder, 0o700)
    expect(state(box, { RALPH_STATE_DIR: folder }).state).toBe('ok')
  })

  test('a state folder in the workspace, of no home, or that is a file, is doubtful', async () => {
    await using box = sandbox()
    box.write('file', '')
    for (const env of [{ RALPH_STATE_DIR: box.path('s') }, {}, { RALPH_STATE_DIR: box.path('file/s') }]) {
      expect(state(box, env as Record<string, string>).state).toBe('warn')
    }
  })

  test('a workspace whose .ralph is no folder cannot be worked in', async () => {
    await using box = sandbox()
    expect(examineWorkspace(box.dir).state).toBe('ok')
    box.write('.ralph', '')
    expect(examineWorkspace(box.dir)).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('.ralph'),
    })
  })
})

describe('a login', () => {
  const login: Login = {
    variables: ['AGENT_KEY', 'AGENT_TOKEN'],
    files: [{ variable: 'AGENT_HOME', folder: '.agent', name: 'auth.json' }],
    elsewhere: { where: 'its settings', ifThere: [{ folder: '.agent', name: 'settings.json' }] },
    how: 'agent login',
  }

  test('shows by a variable that is set: its name, never its value', async () => {
    await using box = sandbox()
    expect(lookForLogin(login, { AGENT_TOKEN: 'sk-1' }, box.home)).toEqual({
      seems: 'yes',
      sign: 'AGENT_TOKEN',
    })
    expect(lookForLogin(login, { AGENT_KEY: '' }, box.home).seems).toBe('no')
  })

  test('shows by a file, which nobody needs to be able to read; a variable may have moved it', async () => {
    await using box = sandbox()
    const path = box.write('../home/.agent/auth.json', 'secret')
    chmodSync(path, 0)
    expect(lookForLogin(login, {}, box.home)).toEqual({ seems: 'yes', sign: path })
    expect(lookForLogin(login, { AGENT_HOME: '/nowhere' }, box.home).seems).toBe('no')
  })

  test('is unknown where it can be without a sign, and where the plugin knows no sign', async () => {
    await using box = sandbox()
    expect(lookForLogin(login, {}, box.home)).toMatchObject({
      seems: 'no',
      sign: expect.stringContaining('AGENT_KEY'),
    })
    box.write('../home/.agent/settings.json', '{}')
    expect(lookForLogin(login, {}, box.home)).toEqual({ seems: 'unknown', sign: 'it may be in its settings' })
    expect(lookForLogin(undefined, {}, box.home)).toEqual({ seems: 'unknown', sign: null })
  })
})

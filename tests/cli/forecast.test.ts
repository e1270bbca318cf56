import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'

/** None of the AI programs that this machine may have. */
const BARE = { PATH: '/usr/bin:/bin' }

describe.concurrent('before a run starts', () => {
  test('a program that is not there is named once, with what to do', async () => {
    await using box = sandbox()
    const { stderr } = await box.ralph(['run', '-b', 'claude', '-p', 'x'], { env: BARE })
    expect(stderr.match(/warning: claude is not on PATH.*`ralph plugins`.*-b/g)).toHaveLength(1)
  })

  test('a program of the workspace, and one that is there, are no reason for a warning', async () => {
    await using box = sandbox()
    box.script('agent.sh', '#!/bin/bash\necho LOOP_COMPLETE')
    for (const command of ['./agent.sh', 'bash']) {
      const keys = [
        '-c',
        'cli.backend=custom',
        '-c',
        `cli.command=${command}`,
        '-c',
        'cli.args=[-c, ./agent.sh]',
      ]
      const { code, stderr } = await box.ralph(['run', '-q', ...keys, '-p', 'x'], { env: BARE })
      expect({ code, warned: stderr.includes('warning') }).toEqual({ code: 0, warned: false })
    }
  })

  test('a starting event that no hat receives is told, with the one that was meant', async () => {
    await using box = sandbox()
    box.write(
      'f.yml',
      'hats: {a: {name: A, description: D, triggers: [work.go], publishes: [LOOP_COMPLETE]}}\n',
    )
    const start = async (topic: string): Promise<string> => {
      const keys = ['-c', 'f.yml', '-c', `event_loop.starting_event=${topic}`]
      return (await box.ralph(['run', '-q', ...keys, '-b', 'mock', '-p', 'x'])).stderr
    }
    expect(await start('wrok.go')).toStartWith(
      'warning: no hat receives the starting event wrok.go, the coordinator does; did you mean work.go?\n',
    )
    expect(await start('work.go')).not.toContain('warning')
  })

  test('a script of the mock that is not there is an error, and no agent is started', async () => {
    await using box = sandbox()
    const done = await box.ralph(['run', '-b', 'mock', '-c', 'adapters.mock.script=no.yml', '-p', 'x'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toContain(box.path('no.yml'))
    expect(done.stderr).toContain('adapters.mock.script')
    expect(box.exists('.ralph')).toBe(false)
  })
})

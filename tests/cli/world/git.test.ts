import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { lookAtGit, lookAtGitNow } from '../../../cli/world/git.ts'
import { sandbox } from '../../helpers/sandbox.ts'

test('Git is asked only where a repository, or a bare one, lies in the workspace or above it', async () => {
  await using box = sandbox()
  box.write('bin/git', `#!/bin/sh\ntouch ${box.path('asked')}\nexit 1\n`)
  chmodSync(box.path('bin/git'), 0o755)
  mkdirSync(box.path('above/workspace'), { recursive: true })
  const { PATH, GIT_DIR } = process.env
  const isAsked = async (): Promise<boolean> => {
    expect([lookAtGitNow(box.path('above/workspace')), await lookAtGit(box.path('above/workspace'))]).toEqual(
      [null, null],
    )
    const asked = existsSync(box.path('asked'))
    rmSync(box.path('asked'), { force: true })
    return asked
  }
  process.env.PATH = `${box.path('bin')}:${PATH}`
  delete process.env.GIT_DIR
  try {
    expect(await isAsked()).toBe(false)
    process.env.GIT_DIR = box.path('elsewhere')
    expect(await isAsked()).toBe(true)
    delete process.env.GIT_DIR
    for (const sign of ['workspace/.git', '.git', 'HEAD']) {
      box.write(`above/${sign}`, '')
      expect(await isAsked()).toBe(true)
      rmSync(box.path('above', sign))
    }
    expect(await isAsked()).toBe(false)
  } finally {
    process.env.PATH = PATH
    if (GIT_DIR !== undefined) process.env.GIT_DIR = GIT_DIR
  }
})

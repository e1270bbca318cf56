import { describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInside } from '../../../cli/trust/inside.ts'
import { openTrustStore, type TrustStore } from '../../../cli/trust/store.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

function open(box: Sandbox, env: Readonly<Record<string, string>> = { HOME: box.home }, workspace = box.dir) {
  const home = env.HOME ?? null
  return openTrustStore({ env, workspace, home, isInside: createInside(workspace, home) })
}

function opened(box: Sandbox, workspace?: string): TrustStore {
  const store = open(box, { HOME: box.home }, workspace)
  if (!store.ok) throw new Error(store.error)
  return store.value
}

const word = (fingerprint: string) => ({ fingerprint, what: './agent.sh' })

describe('the store', () => {
  test('keeps words for one workspace, and for no other', async () => {
    await using box = sandbox()
    opened(box).keep([word('one'), word('two')])
    opened(box).keep([word('three')])
    expect(['one', 'two', 'three', 'four'].map((one) => opened(box).has(one))).toEqual([
      true,
      true,
      true,
      false,
    ])
    mkdirSync(box.path('below'))
    expect(opened(box, box.path('below')).has('one')).toBe(false)
  })

  test('is for its owner alone', async () => {
    await using box = sandbox()
    opened(box).keep([word('one')])
    const folder = join(box.home, '.local/state/ralph/trust')
    const [name = ''] = readdirSync(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  test('passes over lines that it cannot read', async () => {
    await using box = sandbox()
    opened(box).keep([word('one')])
    const folder = join(box.home, '.local/state/ralph/trust')
    appendFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'two\nnull\n{"sha256":3}\n{"sha256":"four"')
    expect(['one', 'two', 'three', 'four'].map((one) => opened(box).has(one))).toEqual([
      true,
      false,
      false,
      false,
    ])
    opened(box).keep([word('five')])
    expect(opened(box).has('five')).toBe(true)
  })

  test('is not there without a home, or where the workspace could bring it along', async () => {
    await using box = sandbox()
    expect(open(box, {}).ok).toBe(false)
    expect(open(box, { HOME: box.home, RALPH_STATE_DIR: 'state' })).toMatchObject({
      error: expect.stringContaining('lies in this workspace'),
    })
    expect(open(box, { HOME: box.home, RALPH_STATE_DIR: box.path('state') }).ok).toBe(false)
  })

  test("is there where the workspace is the user's home", async () => {
    await using box = sandbox()
    expect(open(box, { HOME: box.dir }).ok).toBe(true)
  })
})

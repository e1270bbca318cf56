import { describe, expect, test } from 'bun:test'
import { rateDisk } from '../../../cli/doctor/disk.ts'
import { rateFileWatching } from '../../../cli/doctor/file-watching.ts'
import { type GitFacts, rateGit } from '../../../cli/doctor/git.ts'
import { rateOpenFiles } from '../../../cli/doctor/open-files.ts'

describe('git', () => {
  const good: GitFacts = { version: '2.39.5', repository: 'inside', hasIdentity: true }
  test.each([
    ['a repository with an author', {}, 'ok', '2.39.5'],
    ['no git at all', { version: null }, 'warn', 'no git'],
    ['no repository', { repository: 'outside' }, 'warn', 'in no repository'],
    ['somebody else’s repository', { repository: 'other' }, 'warn', 'belongs to somebody else'],
    ['no author', { hasIdentity: false }, 'warn', 'nobody is set as the author'],
    ['a git of the workspace', { version: null, refused: 'it lies there' }, 'warn', 'it lies there'],
  ] as const)('%s', (_, change, state, detail) => {
    const check = rateGit({ ...good, ...change })
    expect(check).toMatchObject({ check: 'git', state, detail: expect.stringContaining(detail) })
    expect(check.todo === undefined).toBe(state === 'ok')
  })
})

describe('open files', () => {
  test.each([
    [20_000, 20_000, 8, 'ok', undefined],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 64, 'ok', undefined],
    [128, 4096, 8, 'warn', 'ulimit -n 196 in this shell'],
    [128, 128, 8, 'warn', expect.stringContaining('features.max_concurrency')],
    [256, 256, 8, 'ok', undefined],
    [256, 256, 64, 'warn', expect.anything()],
  ])('%d, at most %d, for %d agents at once', (soft, hard, agents, state, todo) => {
    const check = rateOpenFiles({ soft, hard }, agents)
    expect([check.state, check.todo]).toEqual([state, todo])
    expect(check.detail).toContain(`${agents} agents at once need up to ${100 + 12 * agents}`)
  })

  test('nothing is claimed where the system does not tell', () => {
    expect(rateOpenFiles(null, 8)).toMatchObject({ state: 'ok', detail: expect.stringContaining('not tell') })
  })
})

describe('file watching', () => {
  test.each([
    [{ maxInstances: 128, usedInstances: 3, maxWatches: 192_536 }, 'ok', null],
    [{ maxInstances: 128, usedInstances: 120, maxWatches: 192_536 }, 'warn', 'max_user_instances=512'],
    [{ maxInstances: 4, usedInstances: null, maxWatches: 192_536 }, 'warn', 'max_user_instances=512'],
    [{ maxInstances: 1024, usedInstances: 1020, maxWatches: 192_536 }, 'warn', 'max_user_instances=2048'],
    [{ maxInstances: 128, usedInstances: 3, maxWatches: 4096 }, 'warn', 'max_user_watches'],
  ] as const)('%p', (facts, state, todo) => {
    const check = rateFileWatching(facts, 8)
    expect(check.state).toBe(state)
    if (todo !== null) expect(check.todo).toContain(todo)
  })

  test('systems without these limits have nothing to fear', () => {
    expect(rateFileWatching(null, 8).state).toBe('ok')
  })
})

describe('disk', () => {
  const facts = { path: '/data', free: 80e9, freeFiles: 1_000_000 }
  test.each([
    [{}, 'ok', '80.0 GB'],
    [{ free: 900e6 }, 'warn', '900 MB'],
    [{ free: 20e6 }, 'fail', '20 MB'],
    [{ freeFiles: 5000 }, 'warn', '5000 files only'],
    [{ freeFiles: 0 }, 'fail', '0 files'],
    [{ freeFiles: null }, 'ok', '80.0 GB'],
  ] as const)('%p', (change, state, detail) => {
    const check = rateDisk('disk', { ...facts, ...change }, 'the workspace')
    expect(check).toMatchObject({ state, detail: expect.stringContaining(detail) })
  })
})

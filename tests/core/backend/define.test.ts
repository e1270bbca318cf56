import { describe, expect, test } from 'bun:test'
import type { Look } from '../../../core/backend/contract.ts'
import { type BackendPlugin, defineBackend } from '../../../core/backend/define.ts'
import { TASK } from '../../plugins/replay.ts'

const plugin: BackendPlugin = {
  name: 'tiny',
  invoke: ({ prompt }) => ({ argv: ['tiny-agent', prompt], prompt: 'arg' }),
}

test('a name and an invoke make a whole backend about which nothing good is assumed', () => {
  const { summary, traits } = defineBackend(plugin)
  expect(summary).toContain('tiny')
  expect(traits).toEqual({
    output: 'text',
    reportsCost: false,
    reportsTokens: false,
    takesModel: false,
    resumes: false,
    contextWindow: 0,
    startGapMs: 0,
    access: 'whatever the program allows itself',
    enforces: {},
    env: [],
    verified: false,
    shell: { heredoc: true, substitution: true, keepsPath: true, keepsEnvironment: true, keepsGit: true },
  })
})

test('what a plugin says of itself stands, flag by flag', () => {
  const { traits } = defineBackend({ ...plugin, traits: { takesModel: true, shell: { heredoc: false } } })
  expect(traits.takesModel).toBe(true)
  expect(traits.shell).toEqual({
    heredoc: false,
    substitution: true,
    keepsPath: true,
    keepsEnvironment: true,
    keepsGit: true,
  })
})

test('its own session is used where it has one', () => {
  const session = defineBackend({ ...plugin, open: () => ({ ...own, ask: () => [{ closeStdin: true }] }) })
  expect(session.open(TASK).ask({ kind: 'interrupt' })).toEqual([{ closeStdin: true }])
})
const own = defineBackend(plugin).open(TASK)

const REFUSED = { exitCode: null, stdout: '', stderr: '' }

test('what a plugin tells of its program is kept', () => {
  const setup = { install: 'get it', troubles: [{ versions: '*', text: 'slow' }] }
  const backend = defineBackend({ ...plugin, program: 'tiny', setup })
  expect([backend.program, backend.setup]).toEqual(['tiny', setup])
  expect(defineBackend(plugin)).not.toHaveProperty('setup')
})

describe('detection', () => {
  const machine = (exitCode: number | null, stdout: string, stderr = ''): Look => ({
    env: {},
    uid: 1,
    which: (program) => `/bin/${program}`,
    run: async () => ({ exitCode, stdout, stderr }),
  })

  test('looks for the first word of the command line and asks its version', async () => {
    expect(await defineBackend(plugin).detect(machine(0, 'tiny 1.2\nmore\n'))).toEqual({
      found: true,
      program: 'tiny-agent',
      path: '/bin/tiny-agent',
      version: 'tiny 1.2',
      problems: [],
    })
  })

  test('names what is not on PATH', async () => {
    const detection = await defineBackend(plugin).detect({ ...machine(0, ''), which: () => null })
    expect(detection).toMatchObject({ found: false, program: 'tiny-agent' })
    expect(detection.problems[0]?.message).toBe('tiny-agent is not on PATH')
  })

  test.each([
    [machine(3, '', 'needs node 22'), 'tiny-agent --version exited 3: needs node 22'],
    [machine(null, ''), 'tiny-agent --version did not end by itself'],
  ])('does not count a program whose version cannot be asked', async (look, message) => {
    const detection = await defineBackend(plugin).detect(look)
    expect([detection.found, detection.problems[0]?.message]).toEqual([false, message])
  })

  test('takes a program that must not be started for there, and says that it was not asked', async () => {
    const look = { ...machine(0, ''), run: async () => ({ ...REFUSED, refused: 'it lies elsewhere' }) }
    const detection = await defineBackend(plugin).detect(look)
    expect(detection).toMatchObject({ found: true, path: '/bin/tiny-agent' })
    expect(detection.version).toBeUndefined()
    expect(detection.problems[0]?.message).toContain('it lies elsewhere')
  })

  test('asks a plugin for caveats only if its program is there', async () => {
    const wary = defineBackend({ ...plugin, caveats: () => [{ message: 'm', hint: 'h' }] })
    expect((await wary.detect(machine(0, '1'))).problems).toEqual([{ message: 'm', hint: 'h' }])
    expect((await wary.detect({ ...machine(0, ''), which: () => null })).problems).toHaveLength(1)
  })
})

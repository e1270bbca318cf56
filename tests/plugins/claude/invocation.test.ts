import { describe, expect, test } from 'bun:test'
import { createLook } from '../../../core/backend/look.ts'
import claude from '../../../plugins/claude/index.ts'
import { TASK } from '../replay.ts'

describe('the command line', () => {
  test('is headless, streams, and leaves the prompt to stdin', () => {
    const { argv, prompt } = claude.invoke(TASK)
    expect(argv).toEqual([
      'claude',
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--dangerously-skip-permissions',
      '--disallowedTools=TodoWrite,TaskCreate,TaskUpdate,TaskList,TaskGet',
      '--setting-sources',
      'project,local',
    ])
    expect(prompt).toBe('stdin')
  })

  test('takes a model, another program, and further arguments at its end', () => {
    const { argv } = claude.invoke({ ...TASK, model: 'opus', command: './wrap', args: ['--add-dir', '/x'] })
    expect(argv[0]).toBe('./wrap')
    expect(argv.slice(argv.indexOf('--model')).slice(0, 2)).toEqual(['--model', 'opus'])
    expect(argv.slice(-2)).toEqual(['--add-dir', '/x'])
  })
})

describe('the environment', () => {
  test('keeps the retries of the program few and its tasks in the foreground', () => {
    expect(claude.invoke(TASK).env?.set).toEqual({
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      DISABLE_AUTOUPDATER: '1',
    })
  })

  test('leaves what the user has set', () => {
    const { env } = claude.invoke({ ...TASK, env: { CLAUDE_CODE_MAX_RETRIES: '9' } })
    expect(env?.set).not.toHaveProperty('CLAUDE_CODE_MAX_RETRIES')
  })

  test('loses the marks of a session around us, and no credential', () => {
    const unset = claude.invoke(TASK).env?.unset ?? []
    expect(unset).toContain('CLAUDECODE')
    expect(unset).toContain('CLAUDE_CODE_SESSION_ID')
    expect(unset.filter((name) => /API_KEY|OAUTH|AUTH_TOKEN/.test(name))).toEqual([])
  })

  test('never claims a sandbox by itself, even as root', () => {
    expect(claude.invoke({ ...TASK, uid: 0 }).env?.set).not.toHaveProperty('IS_SANDBOX')
  })
})

describe('detection', () => {
  const look = (uid: number, env: Record<string, string> = {}) => ({
    ...createLook({ env, uid }),
    which: () => '/usr/bin/claude',
    run: async () => ({ exitCode: 0, stdout: '2.1.332 (Claude Code)\n', stderr: '' }),
  })

  test.each([
    [1000, {}, 0],
    [0, {}, 1],
    [0, { IS_SANDBOX: 'yes' }, 1],
    [0, { IS_SANDBOX: '1' }, 0],
  ])('as uid %d with %j it finds %d problems', async (uid, env: Record<string, string>, problems) => {
    const detection = await claude.detect(look(uid, env))
    expect(detection).toMatchObject({ found: true, version: '2.1.332 (Claude Code)' })
    expect(detection.problems).toHaveLength(problems)
  })
})

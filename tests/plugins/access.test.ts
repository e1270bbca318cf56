import { describe, expect, test } from 'bun:test'
import type { Restricted } from '../../core/access.ts'
import type { AgentTask } from '../../core/backend/contract.ts'
import { defineBackend } from '../../core/backend/define.ts'
import claude from '../../plugins/claude/index.ts'
import codex from '../../plugins/codex/index.ts'
import gemini from '../../plugins/gemini/index.ts'
import { builtins } from '../../plugins/index.ts'
import opencode from '../../plugins/opencode/index.ts'
import pi from '../../plugins/pi/index.ts'
import { TASK } from './replay.ts'

const held = (access: Restricted, more: Partial<AgentTask> = {}): AgentTask => ({
  ...TASK,
  access,
  privateDir: '/run/private/1',
  ...more,
})

/** What each program was seen to enforce. A level that is added here was measured with the real program first. */
const ENFORCED: Readonly<Record<string, readonly string[]>> = {
  claude: ['read events', 'edit events'],
  codex: ['read events', 'edit events'],
  gemini: ['read events', 'edit events'],
  mock: ['read events', 'edit events'],
  opencode: ['read events', 'edit events'],
  pi: ['read message'],
}

test.each(Object.entries(builtins))('%s is held to the levels that were measured', async (name, { load }) => {
  const { traits } = defineBackend((await load()).default)
  const levels = Object.entries(traits.enforces).map(([level, { delivers }]) => `${level} ${delivers}`)
  expect(levels).toEqual([...(ENFORCED[name] ?? [])])
})

describe('claude', () => {
  test('asks nobody and lets no command pass but those that hand over', () => {
    const { argv } = claude.invoke(held('read'))
    expect(argv).not.toContain('--dangerously-skip-permissions')
    expect(argv.slice(argv.indexOf('--permission-mode')).slice(0, 2)).toEqual([
      '--permission-mode',
      'dontAsk',
    ])
    const allowed = argv.find((word) => word.startsWith('--allowedTools=')) ?? ''
    expect(allowed.match(/Bash\([^)]*\)/g)).toEqual(['Bash(ralph emit:*)', 'Bash(ralph wave emit:*)'])
    expect(allowed.match(/Edit[^,]*/g)).toEqual(['Edit(.ralph/agent/**)', 'Edit(.ralph/outbox/**)'])
  })

  test('accepts edits, and no other command either', () => {
    const { argv } = claude.invoke(held('edit'))
    expect(argv).toContain('acceptEdits')
    expect(argv.join(' ').match(/Bash\([^)]*\)/g)).toHaveLength(2)
  })

  test('takes no settings of the project, which could allow more', () => {
    for (const level of ['read', 'edit'] as const)
      expect(claude.invoke(held(level)).argv).toContain('--setting-sources=')
  })
})

describe('codex', () => {
  test('has a sandbox in which only .ralph can be written, and where a wave without a loop hands over', () => {
    const { argv } = codex.invoke(held('read', { env: { RALPH_EVENTS_FILE: '/state/run/wave-1.jsonl' } }))
    expect(argv).not.toContain('--dangerously-bypass-approvals-and-sandbox')
    expect(argv).toContain('default_permissions="ralph"')
    expect(argv).toContain(
      'permissions.ralph.filesystem={":root"="read",":project_roots"={".ralph"="write"},"/state/run"="write"}',
    )
  })

  test('has one in which the workspace can be written', () => {
    const { argv } = codex.invoke(held('edit', { env: { RALPH_EVENTS_FILE: '/w/.ralph/events.jsonl' } }))
    expect(argv.slice(8, 12)).toEqual(['-s', 'workspace-write', '--add-dir', '/w/.ralph'])
  })

  test('is told that this folder is a project of its own, and not to be trusted, whatever the user told it', () => {
    for (const level of ['read', 'edit'] as const) {
      const { argv } = codex.invoke(held(level, { cwd: '/home/me/my "project"' }))
      expect(argv).toContain('projects={"/home/me/my \\"project\\""={trust_level="untrusted"}}')
      expect(argv).toContain('project_root_markers=[]')
    }
    expect(codex.invoke(TASK).argv.join(' ')).not.toContain('trust_level')
  })
})

describe('gemini', () => {
  test('gets a policy and settings in its private folder', () => {
    const { argv, env, privateFiles = [] } = gemini.invoke(held('read'))
    expect(argv).not.toContain('--yolo')
    expect(argv.slice(argv.indexOf('--admin-policy')).slice(0, 2)).toEqual([
      '--admin-policy',
      '/run/private/1/access.toml',
    ])
    expect(env?.set).toMatchObject({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/run/private/1/settings.json' })
    expect(privateFiles.map(({ path }) => path)).toEqual(['access.toml', 'settings.json'])
  })

  test('is denied all that no rule allows, or only commands', () => {
    const policyOf = (level: Restricted): readonly { toolName: unknown; decision: string }[] => {
      const [policy] = gemini.invoke(held(level)).privateFiles ?? []
      const text = policy !== undefined && 'text' in policy ? policy.text : ''
      return (Bun.TOML.parse(text) as { rule: { toolName: unknown; decision: string }[] }).rule
    }
    const denied = (level: Restricted) =>
      policyOf(level).flatMap(({ toolName, decision }) => (decision === 'deny' ? [toolName] : []))
    expect(denied('read')).toEqual(['*', 'run_shell_command'])
    expect(denied('edit')).toEqual(['run_shell_command', ['write_file', 'replace'], 'run_shell_command'])
    expect(policyOf('read').at(-1)).toMatchObject({ commandPrefix: ['ralph emit', 'ralph wave emit'] })
  })
})

describe('opencode', () => {
  const permission = (level: Restricted) =>
    JSON.parse(opencode.invoke(held(level)).env?.set?.OPENCODE_PERMISSION ?? '{}')

  test('allows the commands that hand over, and none with a redirection: the last rule that matches counts', () => {
    expect(Object.entries(permission('read').bash)).toEqual([
      ['*', 'deny'],
      ['ralph emit *', 'allow'],
      ['ralph wave emit *', 'allow'],
      ['*>*', 'deny'],
    ])
    expect(permission('edit').bash).toEqual(permission('read').bash)
  })

  test('allows edits of its own notes, or of the workspace', () => {
    expect(permission('read').edit).toEqual({
      '*': 'deny',
      '.ralph/agent/*': 'allow',
      '.ralph/outbox/*': 'allow',
    })
    expect(permission('edit').edit).toEqual({
      '*': 'allow',
      '*opencode.json*': 'deny',
      '*.opencode/*': 'deny',
    })
    expect(permission('edit').external_directory).toBe('deny')
  })

  test('leaves out the project’s own configuration, which would outrank it', () => {
    expect(opencode.invoke(held('read')).env?.set).toHaveProperty('OPENCODE_DISABLE_PROJECT_CONFIG', '1')
    expect(opencode.invoke(TASK).env?.set).not.toHaveProperty('OPENCODE_DISABLE_PROJECT_CONFIG')
  })

  test('gives each worker a data folder of its own, with the user’s login', () => {
    const worker = {
      ...TASK,
      env: { HOME: '/home/u' },
      privateDir: '/p',
      role: { ...TASK.role, kind: 'worker' } as const,
    }
    const { env, privateFiles } = opencode.invoke(worker)
    expect(env?.set).toMatchObject({ XDG_DATA_HOME: '/p' })
    expect(privateFiles?.[0]).toEqual({
      path: 'opencode/auth.json',
      copyOf: '/home/u/.local/share/opencode/auth.json',
    })
    const elsewhere = opencode.invoke({ ...worker, env: { HOME: '/home/u', XDG_DATA_HOME: '/data' } })
    expect(elsewhere.privateFiles?.[0]).toMatchObject({ copyOf: '/data/opencode/auth.json' })
  })

  test('leaves an iteration alone, which has the folder to itself', () => {
    const { env, privateFiles } = opencode.invoke({ ...TASK, env: { HOME: '/home/u' } })
    expect(env?.set).not.toHaveProperty('XDG_DATA_HOME')
    expect(privateFiles).toBeUndefined()
  })
})

test('pi has tools that read, and none of the workspace’s code', () => {
  const { argv } = pi.invoke(held('read'))
  expect(argv.slice(argv.indexOf('--tools')).slice(0, 3)).toEqual([
    '--tools',
    'read,grep,find,ls',
    '--no-extensions',
  ])
})

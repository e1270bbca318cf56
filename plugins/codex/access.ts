import { dirname } from 'node:path'
import type { AgentTask, Enforcement } from '../../core/backend/contract.ts'

/** The words by which the program holds an agent to its access: a sandbox of the operating system. Measured with 0.171.0. */
export function accessFlags({
  access,
  env,
  cwd,
}: Pick<AgentTask, 'access' | 'env' | 'cwd'>): readonly string[] {
  // Where `ralph emit` writes: in the workspace's .ralph, or, without a loop, elsewhere.
  const events = env.RALPH_EVENTS_FILE === undefined ? null : dirname(env.RALPH_EVENTS_FILE)
  if (access === undefined) return ['--dangerously-bypass-approvals-and-sandbox']
  const common = [UNVERSIONED, ...distrust(cwd)]
  if (access === 'edit')
    return [...common, '-s', 'workspace-write', ...(events === null ? [] : ['--add-dir', events])]
  return [
    ...common,
    '-c',
    'default_permissions="ralph"',
    '-c',
    `permissions.ralph.filesystem={${readable(events)}}`,
  ]
}

/** Full access takes any folder; without this word the others take only those under Git. */
const UNVERSIONED = '--skip-git-repo-check'

/**
 * In a folder that the user has told it to trust, its servers and hooks are started, outside of the sandbox. It asks for each
 * folder from the root of the project on: this one is the root, and not trusted.
 */
function distrust(cwd: string): readonly string[] {
  const projects = `projects={${JSON.stringify(cwd)}={trust_level="untrusted"}}`
  return ['-c', projects, '-c', 'project_root_markers=[]']
}

function readable(events: string | null): string {
  const inside = '":root"="read",":project_roots"={".ralph"="write"}'
  return events === null ? inside : `${inside},${JSON.stringify(events)}="write"`
}

const COMMON = {
  delivers: 'events',
  heredoc: true,
  undoneBy: [
    '--dangerously-bypass-approvals-and-sandbox',
    '--yolo',
    '--full-auto',
    '-s',
    '--sandbox',
    '--approve-for-me',
    '--add-dir',
    '-C',
    '--cd',
    '--dangerously-bypass-hook-trust',
    '-p',
    '--profile',
    ...[
      'sandbox_mode',
      'sandbox_workspace_write',
      'default_permissions',
      'permissions',
      'approval_policy',
      'projects',
      'project_root_markers',
    ].flatMap((key) => [key, `-c${key}`]),
  ],
} as const

export const enforces: Record<'read' | 'edit', Enforcement> = {
  read: { says: 'reads; its sandbox lets no command write but to .ralph', ...COMMON },
  edit: {
    says: 'changes files of the workspace; its sandbox lets no command write but there and to temporary folders',
    ...COMMON,
  },
}

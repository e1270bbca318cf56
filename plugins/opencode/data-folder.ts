import { join } from 'node:path'
import type { AgentTask, PrivateFile } from '../../core/backend/contract.ts'

/** A data folder for one worker alone: where several begin on a new one at once, most end with "database is locked". */
export function dataFolder(task: AgentTask): {
  readonly env: Record<string, string>
  readonly files?: readonly PrivateFile[]
} {
  if (task.role.kind === 'iteration') return { env: {} }
  const { HOME, XDG_DATA_HOME } = task.env
  const data = XDG_DATA_HOME || (HOME ? join(HOME, '.local', 'share') : null)
  return {
    env: { XDG_DATA_HOME: task.privateDir ?? '<private>' },
    files:
      data === null
        ? []
        : LOGINS.map((name) => ({ path: `opencode/${name}`, copyOf: join(data, 'opencode', name) })),
  }
}

/** Who the user is; sessions and their database are each worker's own. */
const LOGINS = ['auth.json', 'account.json', 'mcp-auth.json'] as const

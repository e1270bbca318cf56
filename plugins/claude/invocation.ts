import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'
import { accessFlags } from './access.ts'

/** The prompt goes to stdin: an argument ends at 128 KiB and shows in `ps`. */
export function invoke(task: AgentTask): Invocation {
  const { command = 'claude', model, effort, args, env, resume, access } = task
  const withModel = model === undefined ? [] : ['--model', model]
  const withEffort = effort === undefined ? [] : ['--effort', effort]
  const further = resume === undefined ? [] : ['--resume', resume.session]
  return {
    argv: [command, ...HEADLESS, ...withModel, ...withEffort, ...accessFlags(access), ...further, ...args],
    env: { set: envDefaults(env, DEFAULTS), unset: OF_AN_OUTER_SESSION },
    prompt: 'stdin',
    killGraceMs: 3000, // it needs about 1.5 s to end its own tools
  }
}

const HEADLESS = ['-p', '--output-format', 'stream-json', '--verbose'] as const

const DEFAULTS = {
  // Ten retries would take three minutes in silence, for a wrong key too. Waiting is the loop's business.
  CLAUDE_CODE_MAX_RETRIES: '2',
  // A command in the background can be lost at the end of a turn, or hold it open.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  DISABLE_AUTOUPDATER: '1',
} as const

/** Left by a session around us: the program would take itself for nested, or talk to its parent's sockets. */
const OF_AN_OUTER_SESSION = [
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_NOTES_DIR',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_PID',
  'AI_AGENT',
] as const

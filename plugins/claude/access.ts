import type { AgentTask } from '../../core/backend/contract.ts'
import { byCommandText, HAND_OVER, OWN_FOLDERS } from '../read-and-emit.ts'

/** The words by which the program holds an agent to its access. Measured with 2.1.332. */
export function accessFlags(access: AgentTask['access']): readonly string[] {
  if (access === undefined) return ['--dangerously-skip-permissions', ...NO_LISTS, ...SETTINGS]
  const mode = access === 'read' ? 'dontAsk' : 'acceptEdits'
  const own = access === 'read' ? OWN_FOLDERS.map((folder) => `Edit(${folder}/**)`) : []
  return [
    '--permission-mode',
    mode,
    // Settings of the project could allow more, and their hooks are commands.
    '--setting-sources=',
    '--strict-mcp-config',
    `--tools=${TOOLS.join(',')}`,
    `--allowedTools=${[...COMMANDS, ...READING, ...own].join(',')}`,
  ]
}

/** Its own to-do lists would outlive no prompt and compete with the events. */
const NO_LISTS = ['--disallowedTools=TodoWrite,TaskCreate,TaskUpdate,TaskList,TaskGet'] as const

/** The user's own settings could change what an agent does. */
const SETTINGS = ['--setting-sources', 'project,local'] as const

const COMMANDS = HAND_OVER.map((command) => `Bash(${command}:*)`)
const READING = ['Read', 'Grep', 'Glob', 'WebFetch', 'WebSearch'] as const
const TOOLS = ['Bash', 'Edit', 'Write', ...READING] as const

export const enforces = byCommandText([
  '--dangerously-skip-permissions',
  '--allow-dangerously-skip-permissions',
  '--permission-mode',
  '--permission-prompt-tool',
  '--allowedTools',
  '--allowed-tools',
  '--tools',
  '--settings',
  '--setting-sources',
  '--mcp-config',
  '--plugin-dir',
])

import { join } from 'node:path'
import type { AgentTask, PrivateFile } from '../../core/backend/contract.ts'
import { byCommandText, HAND_OVER } from '../read-and-emit.ts'

/** How the program is held to an access. Measured with 0.61.0. */
export interface Hold {
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly files?: readonly PrivateFile[]
}

export function holdTo({ access, privateDir = '<private>' }: Pick<AgentTask, 'access' | 'privateDir'>): Hold {
  if (access === undefined) return { flags: ['--yolo'], env: {} }
  return {
    // The mode in which its file tools are there at all; the policy, which nothing outranks, says what they may do.
    flags: [
      '--approval-mode',
      'auto_edit',
      '--admin-policy',
      join(privateDir, POLICY),
      '--allowed-mcp-server-names',
      'none-of-them',
    ],
    env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(privateDir, SETTINGS) },
    files: [
      {
        path: POLICY,
        text: access === 'read' ? `${READ_POLICY}${HAND_OVER_POLICY}` : `${EDIT_POLICY}${HAND_OVER_POLICY}`,
      },
      // Hooks of the workspace are commands.
      { path: SETTINGS, text: JSON.stringify({ hooksConfig: { enabled: false } }) },
    ],
  }
}

const POLICY = 'access.toml'
const SETTINGS = 'settings.json'

const READ_POLICY = `[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "google_web_search", "web_fetch"]
decision = "allow"
priority = 2

[[rule]]
toolName = ["write_file", "replace"]
argsPattern = "\\\\x00\\"file_path\\":\\"[^\\"]*[.]ralph/(agent|outbox)/[a-zA-Z0-9_-]+[.][a-z]+\\"\\\\x00"
decision = "allow"
priority = 2
`

const EDIT_POLICY = `[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 1
`

// In this mode the program itself lets a redirection pass.
const HAND_OVER_POLICY = `
[[rule]]
toolName = "run_shell_command"
commandRegex = ".*>"
decision = "deny"
priority = 3

[[rule]]
toolName = "run_shell_command"
commandPrefix = ${JSON.stringify(HAND_OVER)}
decision = "allow"
priority = 2
`

export const enforces = byCommandText([
  '--yolo',
  '-y',
  '--approval-mode',
  '--policy',
  '--admin-policy',
  '--allowed-tools',
  '--allowed-mcp-server-names',
  '--extensions',
  '-e',
])

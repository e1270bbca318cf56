import { join } from 'node:path'
import type { AgentTask, PrivateFile, UndoingFile } from '../../core/backend/contract.ts'
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
      // Heeded for root alone.
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

// What another agent of this program would heed of its own accord: see HEEDED.
const EDIT_POLICY = `[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 1

[[rule]]
toolName = ["write_file", "replace"]
argsPattern = "\\\\x00\\"file_path\\":\\"([^\\\\x00]*/|)([.][gG][eE][mM][iI][nN][iI]/|[.][eE][nN][vV]\\"\\\\x00)"
decision = "deny"
priority = 4
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

/** Variables that steer the program itself, its shell, and what these start. Those of a login and a model do no harm. */
const STEERING = [
  'GEMINI_(?!API_KEY\\b|MODEL\\b)\\w+',
  'GOOGLE_(?!API_KEY\\b|CLOUD_PROJECT\\b|CLOUD_LOCATION\\b)\\w+',
  'NODE_(?!ENV\\b)\\w+',
  '(BASH|BUN|DYLD|GIT|LD|NPM_CONFIG|OTEL|RALPH|RIPGREP|SSH|SSL|XDG)_\\w+',
  '(BUILD_)?SANDBOX\\w*|CLOUD_SHELL|GCONV_PATH|GLIBC_TUNABLES|(HTTPS?|ALL)_PROXY',
  'BASHOPTS|BROWSER|CDPATH|EDITOR|HOME|IFS|PAGER|PATH|PROMPT_COMMAND|PS4|SHELL|SHELLOPTS|TMPDIR|VISUAL',
]

/**
 * What it takes from a workspace that it trusts, and it has to: one that it does not trust it refuses to work in. Our settings
 * would outrank these files, but it heeds them only where root owns them and every folder above.
 */
const HEEDED: readonly UndoingFile[] = [
  { path: '.gemini/settings.json', why: 'its hooks, tools and servers are commands, which the program runs' },
  { path: '.gemini/agents', why: 'its agents bring servers of their own, which the program runs' },
  ...['.gemini/.env', '.env'].map((path) => ({
    path,
    above: true,
    holding: `^\\s*(export\\s+)?(${STEERING.join('|')})\\s*[=:]`,
    why: 'the program takes variables from it by which other programs, or other models, are run',
  })),
]

export const enforces = byCommandText(
  [
    '--yolo',
    '-y',
    '--approval-mode',
    '--policy',
    '--admin-policy',
    '--allowed-tools',
    '--allowed-mcp-server-names',
    '--extensions',
    '-e',
  ],
  HEEDED,
)

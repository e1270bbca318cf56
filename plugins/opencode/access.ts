import type { AgentTask, UndoingFile } from '../../core/backend/contract.ts'
import { byCommandText, HAND_OVER, OWN_FOLDERS } from '../read-and-emit.ts'

/** The variables by which the program is held to an access. Measured with 1.18.33: the last rule that matches counts. */
export function accessEnv(access: AgentTask['access']): Readonly<Record<string, string>> {
  if (access === undefined) return {}
  const bash = {
    '*': 'deny',
    ...Object.fromEntries(HAND_OVER.map((command) => [`${command} *`, 'allow'])),
    // A rule sees a command with its redirection, and would let it pass.
    '*>*': 'deny',
  }
  const permission =
    access === 'edit'
      ? {
          external_directory: 'deny',
          // What another agent of this program would heed: see HEEDED.
          edit: { '*': 'allow', '*opencode.json*': 'deny', '*.opencode/*': 'deny' },
          bash,
        }
      : {
          '*': 'deny',
          read: 'allow',
          grep: 'allow',
          glob: 'allow',
          list: 'allow',
          webfetch: 'allow',
          websearch: 'allow',
          // Whole results of a wave lie in the run's folder.
          external_directory: 'allow',
          edit: { '*': 'deny', ...Object.fromEntries(OWN_FOLDERS.map((folder) => [`${folder}/*`, 'allow'])) },
          bash,
        }
  // The project's own configuration would outrank the variable.
  return { OPENCODE_PERMISSION: JSON.stringify(permission), OPENCODE_DISABLE_PROJECT_CONFIG: '1' }
}

/** Read in spite of the variable above. */
const HEEDED: readonly UndoingFile[] = [
  ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'].map(
    (path) => ({ path, above: true, why: 'the plugins that it names are code, which the program runs' }),
  ),
  ...['.opencode/plugin', '.opencode/plugins'].map((path) => ({
    path,
    above: true,
    why: 'its plugins are code, which the program runs',
  })),
]

export const enforces = byCommandText(['--agent', '--attach', '--dir'], HEEDED)

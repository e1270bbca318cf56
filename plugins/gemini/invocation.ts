import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'

/** The prompt goes to stdin: an argument ends at 128 KiB and shows in `ps`. */
export function invoke({ command = 'gemini', model, args, env }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['-m', model]
  return {
    argv: [command, '--yolo', '--output-format', 'stream-json', ...withModel, ...args],
    env: { set: envDefaults(env, HEADLESS), unset: signsOfCi(env) },
    prompt: 'stdin',
  }
}

const HEADLESS = {
  // Without it an unknown folder is exit 55, --yolo or not.
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  // The launcher that starts the program a second time ignores TERM and INT.
  GEMINI_CLI_NO_RELAUNCH: 'true',
} as const

/** Where it sees these, its tools lose every variable of ours, and `ralph emit` no longer knows whose events it writes. */
function signsOfCi(env: AgentTask['env']): readonly string[] {
  return env.SURFACE === 'Github' ? ['GITHUB_SHA', 'SURFACE'] : ['GITHUB_SHA']
}

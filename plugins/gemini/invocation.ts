import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'
import { holdTo } from './access.ts'

/** The prompt goes to stdin: an argument ends at 128 KiB and shows in `ps`. */
export function invoke(task: AgentTask): Invocation {
  const { command = 'gemini', model, args, env, resume } = task
  const hold = holdTo(task)
  const withModel = model === undefined ? [] : ['-m', model]
  const further = resume === undefined ? [] : ['--resume', resume.session]
  return {
    argv: [command, ...hold.flags, '--output-format', 'stream-json', ...withModel, ...further, ...args],
    env: { set: { ...envDefaults(env, HEADLESS), ...hold.env }, unset: signsOfCi(env) },
    prompt: 'stdin',
    ...(hold.files === undefined ? {} : { privateFiles: hold.files }),
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

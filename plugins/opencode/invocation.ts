import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'

/** The prompt goes to stdin, which it reads to its end in any case. A model is `provider/model`. */
export function invoke({ command = 'opencode', model, args, env }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['-m', model]
  return {
    argv: [command, 'run', '--format', 'json', '--auto', ...withModel, ...args],
    env: { set: envDefaults(env, { OPENCODE_DISABLE_AUTOUPDATE: '1' }) },
    prompt: 'stdin',
  }
}

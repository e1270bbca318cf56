import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'

/** The prompt goes to stdin, which it reads to its end in any case. */
export function invoke({ command = 'pi', model, args, env }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['--model', model]
  return {
    argv: [command, '-p', '--mode', 'json', '--no-session', ...withModel, ...args],
    env: { set: envDefaults(env, { PI_SKIP_VERSION_CHECK: '1' }) },
    prompt: 'stdin',
    killGraceMs: 1000, // on TERM it ends its own tools
  }
}

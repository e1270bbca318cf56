import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'

/** The prompt goes to stdin, which it reads to its end in any case. */
export function invoke({ command = 'pi', model, effort, args, env, access }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['--model', model]
  const withEffort = effort === undefined ? [] : ['--thinking', effort]
  return {
    argv: [
      command,
      '-p',
      '--mode',
      'json',
      '--no-session',
      ...(access === undefined ? [] : READING),
      ...withModel,
      ...withEffort,
      ...args,
    ],
    env: { set: envDefaults(env, { PI_SKIP_VERSION_CHECK: '1' }) },
    prompt: 'stdin',
    killGraceMs: 1000, // on TERM it ends its own tools
  }
}

/** Its shell knows no rules: who may not run everything runs nothing. Extensions are code of the workspace. */
const READING = ['--tools', 'read,grep,find,ls', '--no-extensions'] as const

import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'
import { accessEnv } from './access.ts'
import { dataFolder } from './data-folder.ts'

/** The prompt goes to stdin, which it reads to its end in any case. A model is `provider/model`. */
export function invoke(task: AgentTask): Invocation {
  const { command = 'opencode', model, effort, args, env, resume, access } = task
  const data = dataFolder(task)
  const withModel = model === undefined ? [] : ['-m', model]
  const withEffort = effort === undefined ? [] : ['--variant', effort]
  const further = resume === undefined ? [] : ['--session', resume.session]
  return {
    argv: [command, 'run', '--format', 'json', '--auto', ...withModel, ...withEffort, ...further, ...args],
    env: {
      set: { ...envDefaults(env, { OPENCODE_DISABLE_AUTOUPDATE: '1' }), ...accessEnv(access), ...data.env },
    },
    prompt: 'stdin',
    ...(data.files === undefined ? {} : { privateFiles: data.files }),
  }
}

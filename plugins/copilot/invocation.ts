import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'

/** The prompt goes to stdin: without a terminal it is read there, and an argument ends at 128 KiB and shows in `ps`. */
export function invoke({ command = 'copilot', model, effort, args, env }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['--model', model]
  const withEffort = effort === undefined ? [] : ['--reasoning-effort', effort]
  return {
    argv: [command, ...HEADLESS, ...withModel, ...withEffort, ...args],
    env: { set: envDefaults(env, { COPILOT_AUTO_UPDATE: 'false' }) },
    prompt: 'stdin',
    killGraceMs: 1000, // on TERM it ends its own tools
  }
}

/** The results of a wave lie outside the workspace; without a word on paths it refuses to read them. */
const HEADLESS = ['--allow-all-tools', '--allow-all-paths', '--output-format', 'json'] as const

import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { envDefaults } from '../env-defaults.ts'

/** The prompt goes to stdin: an argument ends at 128 KiB and shows in `ps`. */
export function invoke({ command = 'qwen', model, args, env }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['-m', model]
  return {
    argv: [command, '--yolo', '--output-format', 'stream-json', ...withModel, ...args],
    env: { set: envDefaults(env, { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' }) },
    prompt: 'stdin',
    killGraceMs: 1000, // on TERM it ends its own tools
  }
}

import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { accessFlags } from './access.ts'

/** The prompt goes to stdin (`-`): it reads stdin to its end even when the prompt stands in an argument. */
export function invoke(task: AgentTask): Invocation {
  const { command = 'codex', model, effort, args, resume } = task
  const withModel = model === undefined ? [] : ['-m', model]
  const withEffort = effort === undefined ? [] : ['-c', `model_reasoning_effort=${effort}`]
  const further = args.filter((word) => !WAYS_TO_SAY_ALL.has(word))
  const again = resume === undefined ? [] : ['resume', resume.session]
  return {
    argv: [
      command,
      'exec',
      '--json',
      ...accessFlags(task),
      ...SHELL,
      ...withModel,
      ...withEffort,
      ...further,
      ...again,
      '-',
    ],
    prompt: 'stdin',
  }
}

/** A login shell, which it would use for commands, sets PATH anew and does not find `ralph`. */
const SHELL = ['-c', 'allow_login_shell=false'] as const

/** Given twice, or beside each other, they are an error. */
const WAYS_TO_SAY_ALL: ReadonlySet<string> = new Set([
  '--dangerously-bypass-approvals-and-sandbox',
  '--yolo',
  '--full-auto',
])

import type { AgentTask, Invocation } from '../../core/backend/contract.ts'

/** The prompt goes to stdin (`-`): it reads stdin to its end even when the prompt stands in an argument. */
export function invoke({ command = 'codex', model, args }: AgentTask): Invocation {
  const withModel = model === undefined ? [] : ['-m', model]
  const further = args.filter((word) => !WAYS_TO_SAY_ALL.has(word))
  return { argv: [command, ...HEADLESS, ...withModel, ...further, '-'], prompt: 'stdin' }
}

const ALL = '--dangerously-bypass-approvals-and-sandbox'

/** A login shell, which it would use for commands, sets PATH anew and does not find `ralph`. */
const HEADLESS = ['exec', '--json', ALL, '-c', 'allow_login_shell=false'] as const

/** Given twice, or beside each other, they are an error. */
const WAYS_TO_SAY_ALL: ReadonlySet<string> = new Set([ALL, '--yolo', '--full-auto'])

import type { AgentTask } from '../core/backend/contract.ts'
import type { Part } from './cast.ts'

/** The program that a part runs: `claude`, `./agent.sh`. */
export function programOf(part: Part): string {
  return invocationOf(part).argv[0] ?? part.backend.name
}

/** The effective command line of a part, quoted for a POSIX shell; the prompt stands as `<prompt>`. */
export function commandLine(part: Part): string {
  const { argv, prompt } = invocationOf(part)
  const line = argv.map((word) => (word === PLACEHOLDER ? PLACEHOLDER : quote(word))).join(' ')
  return prompt === 'stdin' ? `${line} < ${PLACEHOLDER}` : line
}

const PLACEHOLDER = '<prompt>'

/** What the backend would start for a task without content. `invoke` is pure: nothing is started. */
function invocationOf({ backend, options, hat }: Part) {
  const task: AgentTask = {
    ...options,
    prompt: PLACEHOLDER,
    promptFile: PLACEHOLDER,
    cwd: '.',
    env: {},
    uid: 1,
    ralph: 'ralph',
    role: {
      kind: 'iteration',
      hats: hat === '' ? [] : [hat],
      runId: '',
      agent: 0,
      attempt: 1,
      runDir: '',
      events: [],
      objective: '',
      completionPromise: '',
      graph: [],
    },
  }
  return backend.invoke(task)
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

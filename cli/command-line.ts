import type { AgentTask } from '../core/backend/contract.ts'
import type { Part } from './cast.ts'

/** The program that a part runs: `claude`, `./agent.sh`. */
export function programOf(part: Part): string {
  return invocationOf(part).argv[0] ?? part.backend.name
}

/** Where an agent would run. */
export interface Surroundings {
  /** The workspace. */
  readonly cwd: string
  /** What the agent would get, before what its backend sets. */
  readonly env: Readonly<Record<string, string>>
}

/** The effective command line of a part, quoted for a POSIX shell; the prompt stands as `<prompt>`. */
export function commandLine(part: Part, around: Surroundings = SOMEWHERE): string {
  const { argv, prompt } = invocationOf(part, around)
  const line = maskSecrets([...(part.wrap ?? []), ...argv])
    .map((word) => (word === PLACEHOLDER ? word : quote(word)))
    .join(' ')
  return prompt === 'stdin' ? `${line} < ${PLACEHOLDER}` : line
}

/** What the backend changes in the environment, as words of `env`: `NAME=value`, `-u NAME`. Secrets are masked, long values cut. */
export function variablesOf(part: Part, around: Surroundings = SOMEWHERE): readonly string[] {
  const { set = {}, unset = [] } = invocationOf(part, around).env ?? {}
  const values = Object.entries(set).map(([name, value]) => `${name}=${shortened(value)}`)
  return [
    ...unset.filter((name) => around.env[name] !== undefined).map((name) => `-u ${name}`),
    ...maskSecrets(values).map(quote),
  ]
}

function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`
}

const MAX_VALUE = 60

const PLACEHOLDER = '<prompt>'

const SOMEWHERE: Surroundings = { cwd: '<workspace>', env: {} }

const MASK = '<secret>'

/** Words that follow a flag whose value is secret by its name, and the values of `--api-key=…` and `API_KEY=…`. */
export function maskSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, i): string => {
    if (/^-/.test(words[i - 1] ?? '') && SECRET_FLAG.test(words[i - 1] ?? '')) return MASK
    const [, name, value] = /^([\w-]+)=(.+)$/s.exec(word) ?? []
    return name !== undefined && value !== undefined && SECRET_FLAG.test(name) ? `${name}=${MASK}` : word
  })
}

const SECRET_FLAG = /(^|[_-])(api[_-]?key|token|secret|password|passwd|access[_-]key)$/i

/** What the backend would start for a task without content. `invoke` is pure: nothing is started. */
function invocationOf({ backend, options, hat }: Part, { cwd, env }: Surroundings = SOMEWHERE) {
  const task: AgentTask = {
    ...options,
    prompt: PLACEHOLDER,
    promptFile: PLACEHOLDER,
    privateDir: '<private>',
    cwd,
    env: { ...env, RALPH_EVENTS_FILE: `${cwd}/.ralph/events.jsonl` },
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
  if (word === MASK) return MASK
  if (word.endsWith(`=${MASK}`)) return `${quote(word.slice(0, -MASK.length))}${MASK}`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import type { AgentTask, Backend, Invocation, Say, Session } from '../backend/contract.ts'
import { messageOf } from '../errors.ts'
import { err, ok, type Result, unreachable } from '../result.ts'
import { callBackend, checkedSays, type Failure } from './guard.ts'

/** Prompts above this many bytes do not stand in an argument. */
export const MAX_ARGUMENT_BYTES = 7000

/** What the backend wants to be started, and the conversation to hold with it. */
export interface Prepared {
  readonly invocation: Invocation
  readonly session: Session
  /** What the session says first. */
  readonly says: readonly Say[]
  /** Removes the file that a long prompt was written to. */
  release(): void
}

/** The program cannot be started (`spawnError`), or its backend broke. */
export type Unprepared = { readonly spawnError: string } | { readonly failure: Failure }

/**
 * Asks the backend how to start. A prompt that it wants in a file, or that is too long for an argument, is handed over in a
 * temporary file (0600).
 */
export function prepare(backend: Backend, task: AgentTask, tmpdir: string): Result<Prepared, Unprepared> {
  const first = invoke(backend, task)
  if (!first.ok) return err({ failure: first.error })
  const own = seed(first.value.privateFiles, task.privateDir)
  if (!own.ok) return own
  if (!isForFile(first.value, task)) return open(backend, task, first.value, () => {})
  const file = writePrompt(task.prompt, tmpdir)
  if (!file.ok) return file
  const release = (): void => rmSync(file.value.dir, { recursive: true, force: true })
  const filed = inFile(task, first.value, file.value.path)
  const second = invoke(backend, filed)
  const prepared = second.ok ? open(backend, filed, second.value, release) : err({ failure: second.error })
  if (!prepared.ok) release()
  return prepared
}

function invoke(backend: Backend, task: AgentTask): Result<Invocation, Failure> {
  return callBackend(backend.name, 'invoke()', () => {
    const invocation = backend.invoke(task)
    if (!invocation.argv.every((word) => typeof word === 'string') || !invocation.argv[0]) {
      throw new TypeError('argv is no list of words that begins with a program')
    }
    return invocation
  })
}

function open(
  backend: Backend,
  task: AgentTask,
  invocation: Invocation,
  release: () => void,
): Result<Prepared, Unprepared> {
  const session = callBackend(backend.name, 'open()', () => backend.open(task))
  if (!session.ok) return err({ failure: session.error })
  const says = callBackend(backend.name, 'open().start', () => checkedSays(session.value.start()))
  if (!says.ok) return err({ failure: says.error })
  return ok({ invocation, session: session.value, says: says.value, release })
}

/** Makes the agent's own folder, if the backend wants one. What an earlier attempt left there stays. */
function seed(
  files: Invocation['privateFiles'],
  dir: string | undefined,
): Result<null, { readonly spawnError: string }> {
  if (files === undefined) return ok(null)
  if (dir === undefined) throw new Error('a task has a private folder')
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    for (const file of files) {
      const inside = normalize(file.path)
      if (isAbsolute(inside) || inside.startsWith('..')) throw new Error(`${file.path} leads out of it`)
      const path = join(dir, inside)
      if (existsSync(path)) continue
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if ('text' in file) writeFileSync(path, file.text, { mode: 0o600, flag: 'wx' })
      else if (existsSync(file.copyOf)) {
        copyFileSync(file.copyOf, path)
        chmodSync(path, 0o600)
      }
    }
    return ok(null)
  } catch (error) {
    return err({ spawnError: `cannot make the private folder ${dir}: ${messageOf(error)}` })
  }
}

function isForFile({ prompt }: Invocation, task: AgentTask): boolean {
  switch (prompt) {
    case 'stdin':
      return false
    case 'arg':
      return Buffer.byteLength(task.prompt) > MAX_ARGUMENT_BYTES
    case 'file':
      return true
    default:
      return unreachable(prompt)
  }
}

function inFile(task: AgentTask, { prompt }: Invocation, path: string): AgentTask {
  return prompt === 'file' ? { ...task, promptFile: path } : { ...task, prompt: sentence(path) }
}

function writePrompt(prompt: string, tmpdir: string): Result<{ dir: string; path: string }, Unprepared> {
  try {
    const dir = mkdtempSync(join(tmpdir, 'ralph-prompt-'))
    chmodSync(dir, 0o700)
    const path = join(dir, 'prompt.md')
    writeFileSync(path, prompt, { mode: 0o600, flag: 'wx' })
    return ok({ dir, path })
  } catch (error) {
    return err({ spawnError: `cannot write the prompt to a file in ${tmpdir}: ${messageOf(error)}` })
  }
}

function sentence(path: string): string {
  return `Read the file ${path} now: it holds your whole task. Do exactly what it says.`
}

import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { checkConformance, type Finding } from '../core/backend/conformance.ts'
import { loadPlugin } from '../core/backend/load.ts'
import { RalphError } from '../core/errors.ts'

/** A finding, with what its author can do. */
export interface Advice extends Finding {
  readonly hint: string
}

/** Loads one plugin file and checks it as the built-in backends are checked. Throws `RalphError` for what cannot be loaded. */
export async function checkPlugin(
  path: string,
  cwd: string,
): Promise<{ readonly name: string; readonly findings: readonly Advice[] }> {
  const file = findFile(resolve(cwd, path))
  if (file === null) throw new RalphError('no_file', `there is no plugin at ${path}`)
  const name = nameOf(file)
  const loaded = await loadPlugin({ name, path: file }, process)
  if (!loaded.ok) throw loaded.error
  const findings = await checkConformance(loaded.value)
  return { name, findings: findings.map((finding) => ({ ...finding, hint: hintFor(finding.rule) })) }
}

function findFile(path: string): string | null {
  const places = isFolder(path) ? ['index.ts', 'index.js'].map((name) => join(path, name)) : [path]
  return places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile()) ?? null
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** As the folders of plugins are read: the file's name, or that of the folder of an index. */
function nameOf(file: string): string {
  const name = basename(file).replace(/\.[jt]s$/, '')
  return name === 'index' ? basename(dirname(file)) : name
}

/** By rule of the conformance suite. */
const HINTS: Readonly<Record<string, string>> = {
  name: 'give the file and the field `name` the same word of a-z, 0-9 and -',
  traits: 'correct `traits` and `summary`; what you leave out has a default',
  invoke: 'return { argv: [program, …], prompt } from invoke, made from the task alone',
  arguments: 'argv: [task.command ?? program, …fixed flags, ...task.args, …prompt]',
  resume: 'pass task.resume.session by the program’s flag, or set traits.resumes to false',
  access:
    'heed task.access in invoke, or leave the level out of traits.enforces; private files have relative paths',
  model: 'pass task.model by the program’s flag, or set traits.takesModel to false',
  effort: 'pass task.effort by the program’s flag for each level of traits.effort, or leave that out',
  setup: 'correct `setup`; what you leave out is not told',
  environment: 'in env, set and unset only variables of the program itself, never RALPH_*',
  prompt:
    "prompt: 'arg' with task.prompt in argv, or 'stdin' with { write: task.prompt } from open(task).start()",
  'unknown output': 'let line() return [] for whatever it does not know; it must not throw',
  verdict:
    'let end() fail on a non-zero exit code or a signal, and, with a stream, on exit code 0 without its last record',
  ask: 'let ask() return [] for what the program cannot do',
  detect: 'leave out detect and set program; or give program, and a message and a hint with each problem',
}

function hintFor(rule: string): string {
  return HINTS[rule] ?? 'see docs/plugins.md'
}

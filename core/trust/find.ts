import { COMMAND_BACKEND, SCRIPTED_BACKEND } from '../config/names.ts'
import type { Settings } from '../config/settings.ts'
import { at, type KeyPath, type Mapping, type Origin, type Place } from '../config/tree.ts'
import type { Hat } from '../hat.ts'
import type { Executable, MockScript, PluginCode, ProgramCall } from './executable.ts'

export interface Search {
  readonly settings: Settings
  /** The merged configuration, which knows where each value was written. */
  readonly tree: Mapping
  /** Plugins in the workspace's own folder. */
  readonly plugins: readonly Omit<PluginCode, 'kind'>[]
  /** Names of the backends that may play; null: whichever there are. */
  readonly backends: ReadonlySet<string> | null
  /** True for a file that lies in the workspace. */
  readonly isInside: (path: string) => boolean
}

/** What the workspace would have this machine execute. What flags, built-ins and files elsewhere say is not among it. */
export function findExecutables(search: Search): readonly Executable[] {
  const { settings, plugins, backends } = search
  const plays = (name: string) => backends === null || backends.has(name)
  return [
    ...wrapCall(search),
    ...coordinatorCall(search),
    ...settings.hats.flatMap((hat) => hatCall(search, hat)),
    ...(plays(SCRIPTED_BACKEND) ? mockScript(search) : []),
    ...plugins.filter(({ name }) => plays(name)).map((plugin) => ({ kind: 'plugin', ...plugin }) as const),
  ]
}

/** What stands in front of every agent is a command line of its own, whoever plays behind it. */
function wrapCall(search: Search): readonly ProgramCall[] {
  const places = said(search, ['cli'], ['wrap'])
  return places.length === 0
    ? []
    : [{ kind: 'program', hat: '', words: search.settings.cli.wrap, more: false, places }]
}

function coordinatorCall(search: Search): readonly ProgramCall[] {
  const { backend, command, args, promptFlag } = search.settings.cli
  const places = said(search, ['cli'], ['command', 'args', 'prompt_flag'])
  if (places.length === 0) return []
  const words = [command ?? backend, ...args, ...listed(promptFlag)]
  return [{ kind: 'program', hat: '', words, more: backend !== COMMAND_BACKEND, places }]
}

function hatCall(search: Search, hat: Hat): readonly ProgramCall[] {
  const path = ['hats', hat.id]
  const places = [
    ...said(search, [...path, 'backend'], ['command', 'args', 'agent', 'prompt_flag']),
    ...said(search, path, ['backend_args']),
  ]
  return places.length === 0
    ? []
    : [{ kind: 'program', hat: hat.id, ...callOf(search.settings, hat), places }]
}

/** As the hats are cast: a hat whose backend has the name of the global one shares its program and arguments. */
function callOf(
  { cli }: Settings,
  { backend: choice, backendArgs }: Hat,
): Pick<ProgramCall, 'words' | 'more'> {
  if (choice?.kind === 'command') {
    const { command, args, promptFlag } = choice
    return { words: [command, ...args, ...backendArgs, ...listed(promptFlag)], more: false }
  }
  const own =
    choice === undefined
      ? []
      : [...(choice.agent === undefined ? [] : ['--agent', choice.agent]), ...choice.args]
  const name = choice?.name ?? cli.backend
  if (name !== cli.backend) return { words: [name, ...own, ...backendArgs], more: true }
  const words = [cli.command ?? name, ...cli.args, ...own, ...backendArgs, ...listed(cli.promptFlag)]
  return { words, more: name !== COMMAND_BACKEND }
}

function mockScript(search: Search): readonly MockScript[] {
  const path = search.settings.adapters[SCRIPTED_BACKEND]?.script
  const [place] = said(search, ['adapters', SCRIPTED_BACKEND], ['script'])
  return path === undefined || place === undefined ? [] : [{ kind: 'script', path, place }]
}

/** Where the workspace sets `keys` below `path`. An empty list says nothing. */
function said({ tree, isInside }: Search, path: KeyPath, keys: readonly string[]): readonly Place[] {
  return keys.flatMap((key) => {
    const value = at(tree, [...path, key])
    if (value === undefined || (value.kind === 'list' && value.items.length === 0)) return []
    return isOfWorkspace(value.place.origin, isInside) ? [value.place] : []
  })
}

/** A file that lies elsewhere counts as the workspace's if a file of the workspace brings it in. */
function isOfWorkspace(origin: Origin, isInside: (path: string) => boolean): boolean {
  if (origin.path !== null && isInside(origin.path)) return true
  return origin.importedBy !== undefined && isOfWorkspace(origin.importedBy, isInside)
}

function listed(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

import { expect } from 'bun:test'
import { formatFault } from '../../../core/config/fault.ts'
import {
  type BackendSummary,
  type Loaded,
  type LoadRequest,
  loadSettings,
} from '../../../core/config/load.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

/** Backends that a test may name: one of each kind. */
export const BACKENDS: ReadonlyMap<string, BackendSummary> = new Map<string, BackendSummary>([
  ['claude', { takesModel: true, effort: ['low', 'high'], reportsCost: true, reportsTokens: true }],
  ['codex', { takesModel: true, reportsCost: false, reportsTokens: true }],
  ['kiro', { takesModel: true, reportsCost: false, reportsTokens: false }],
  ['custom', { takesModel: false, reportsCost: false, reportsTokens: false }],
  ['mock', { takesModel: false, reportsCost: false, reportsTokens: false }],
  ['mine', 'unloaded'],
])

/** Hat collections inside the program, for tests. */
export const PRESETS = {
  solo: 'hats: {}\nevent_loop: {completion_promise: SOLO_DONE}\n',
  importing: 'hats:\n  a:\n    import: b.yml\n',
}

export interface Setup extends Partial<Omit<LoadRequest, 'cwd'>> {
  /** Written to `ralph.yml`. */
  readonly yaml?: string
  /** Further files, by path relative to the workspace. */
  readonly files?: Readonly<Record<string, string>>
  /** Written to `~/.ralph/config.yml`. */
  readonly home?: string
}

/** Loads a configuration in a fresh workspace. `inspect` may look at the workspace before it is removed. */
export async function load(setup: Setup, inspect?: (box: Sandbox) => void) {
  await using box = sandbox()
  const { yaml, files = {}, home, ...request } = setup
  if (yaml !== undefined) box.write('ralph.yml', yaml)
  for (const [path, text] of Object.entries(files)) box.write(path, text)
  if (home !== undefined) box.write('../home/.ralph/config.yml', home)
  const result = await loadSettings({
    configArgs: [],
    flags: {},
    presets: PRESETS,
    backends: BACKENDS,
    planned: { later: 'nobody has written it' },
    ...request,
    env: { HOME: box.home, ...request.env },
    cwd: box.dir,
  })
  inspect?.(box)
  return result
}

/** The configuration, which must be right. */
export async function loaded(setup: Setup, inspect?: (box: Sandbox) => void): Promise<Loaded> {
  const result = await load(setup, inspect)
  if (!result.ok) throw new Error(`config faults:\n${result.error.map(formatFault).join('\n')}`)
  return result.value
}

/** The faults, as they are shown; there must be some. */
export async function faults(setup: Setup, inspect?: (box: Sandbox) => void): Promise<readonly string[]> {
  const result = await load(setup, inspect)
  expect(result.ok).toBe(false)
  return result.ok ? [] : result.error.map(formatFault)
}

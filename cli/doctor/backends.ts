import type { Backend, Detection } from '../../core/backend/contract.ts'
import { isWithin, versionIn } from '../../core/backend/versions.ts'
import type { Part } from '../cast.ts'
import { commandLine } from '../command-line.ts'
import type { Inspected } from '../inspection.ts'
import type { Check } from './check.ts'
import { type LoginSeen, lookForLogin } from './login.ts'

/** A check of a backend, with all that is known of its program. */
export interface BackendCheck extends Check {
  readonly backend: BackendReport
}

export interface BackendReport {
  readonly name: string
  readonly source: 'builtin' | 'file'
  /** Of a plugin's file. */
  readonly plugin: string | null
  /** The configuration has it play. */
  readonly used: boolean
  readonly program: string | null
  readonly found: boolean
  readonly path: string | null
  readonly version: string | null
  /** How it would be called; several, where hats have it called differently. */
  readonly commands: readonly string[]
  readonly login: LoginSeen
  readonly verified: boolean
  /** Releases that the plugin was measured with. */
  readonly measured: readonly string[]
  /** What is known to go wrong with this release. */
  readonly troubles: readonly string[]
  /** How to get the program. */
  readonly install: string | null
}

export interface Surroundings {
  /** The parts that this backend plays with its own program; empty: it is not used. */
  readonly parts: readonly Part[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string | null
}

/** What a run would make of one backend. */
export function examineBackend(inspected: Inspected, around: Surroundings): BackendCheck {
  const { name, source, path: plugin = null } = inspected.entry
  const used = around.parts.length > 0
  if (!inspected.ok) {
    const report = { name, source, plugin, used, ...UNKNOWN }
    return {
      check: `backend ${name}`,
      state: used ? 'fail' : 'warn',
      detail: inspected.error.message,
      backend: report,
    }
  }
  const { backend, detection } = inspected.value
  const { setup, traits } = backend
  const version = detection.version ?? null
  const report: BackendReport = {
    name,
    source,
    plugin,
    used,
    program: detection.program,
    found: detection.found,
    path: detection.path ?? null,
    version,
    commands: commandsOf(backend, around.parts),
    login: lookForLogin(setup?.login, around.env, around.home),
    verified: traits.verified,
    measured: setup?.measured ?? [],
    troubles: detection.found ? troublesOf(backend, version) : [],
    install: setup?.install ?? null,
  }
  return { check: `backend ${name}`, ...judge(report, backend, detection, around.parts), backend: report }
}

const UNKNOWN = {
  program: null,
  found: false,
  path: null,
  version: null,
  commands: [],
  login: { seems: 'unknown', sign: null },
  verified: false,
  measured: [],
  troubles: [],
  install: null,
} as const

function judge(
  report: BackendReport,
  { setup }: Backend,
  { found, problems }: Detection,
  parts: readonly Part[],
): Omit<Check, 'check'> {
  const { used, path, program, version, login, verified } = report
  const said = problems.map(({ message }) => message)
  const unverified = verified ? [] : ['unverified']
  const where = [path ?? program ?? 'no program', ...(version === null ? [] : [version])].join(' ')
  const detail = [...(found ? [where] : []), ...unverified, ...said].join('; ')
  const hints = problems.map(({ hint }) => hint)
  if (!found) {
    // Where it is missing, what to install says more than that it should be installed.
    const ways = path === null && setup?.install !== undefined ? [setup.install] : hints
    return { state: used ? 'fail' : 'absent', detail, ...todoOf(ways) }
  }
  const stopped = problems.some(({ stops }) => stops === 'full') && parts.some(isFull)
  if (stopped) return { state: 'fail', detail, ...todoOf(hints) }
  if (used && login.seems === 'no') {
    const how = setup?.login?.how
    return {
      state: 'warn',
      detail: [detail, `not logged in, as it seems`].join('; '),
      ...todoOf(how === undefined ? [] : [how]),
    }
  }
  return { state: used && problems.length > 0 ? 'warn' : 'ok', detail, ...todoOf(hints) }
}

function isFull({ options }: Part): boolean {
  return options.access === undefined
}

function todoOf(ways: readonly string[]): { readonly todo?: string } {
  return ways.length === 0 ? {} : { todo: ways.join('; ') }
}

/** Of a backend that does not play: as it would be called without any setting. */
function commandsOf(backend: Backend, parts: readonly Part[]): readonly string[] {
  try {
    const calls = parts.length > 0 ? parts : [{ hat: '', backend, options: { args: [] } }]
    return [...new Set(calls.map((part) => commandLine(part)))]
  } catch {
    // It cannot be called without settings, or its plugin is broken: then the run says so.
    return []
  }
}

function troublesOf({ setup }: Backend, version: string | null): readonly string[] {
  const number = version === null ? null : versionIn(version)
  return (setup?.troubles ?? []).filter(({ versions }) => isWithin(number, versions)).map(({ text }) => text)
}

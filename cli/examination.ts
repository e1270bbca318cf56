import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Look } from '../core/backend/contract.ts'
import { createLook } from '../core/backend/look.ts'
import type { Registry } from '../core/backend/registry.ts'
import type { Loaded } from '../core/config/load.ts'
import { AUTO_BACKEND } from '../core/config/names.ts'
import type { Settings } from '../core/config/settings.ts'
import { messageOf, RalphError } from '../core/errors.ts'
import { RALPH_DIR } from '../core/events-file/target.ts'
import { createTopology } from '../core/topology.ts'
import { findBackends, loadConfiguration } from './configuration.ts'
import { type Inspected, inspectBackends } from './inspection.ts'
import { trustKept } from './trust/settle.ts'
import { surveyTrust } from './trust/survey.ts'
import { renderExecutable } from './view/trust.ts'

/** What was looked at, and what was found. */
export interface Check {
  readonly check: string
  readonly ok: boolean
  /** A run cannot do without it. */
  readonly needed: boolean
  readonly detail: string
}

export interface ExaminationRequest {
  readonly config: readonly string[]
  readonly hats: string | undefined
  readonly plugins: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Config, hats, workspace, and every backend's program. Starts no agent. */
export async function examine(request: ExaminationRequest): Promise<readonly Check[]> {
  const { checks, loaded } = await examineConfig(request)
  const registry = trustKept(findBackends(request), request)
  const look = createLook({ env: request.env, uid: process.getuid?.() ?? 0 })
  const backends = await inspectBackends(registry, request.env)
  return [
    ...checks,
    examineTrust(request, registry, loaded),
    examineWorkspace(request.cwd),
    ...examineBackends(backends, loaded?.settings ?? null, look),
  ]
}

async function examineConfig(
  request: ExaminationRequest,
): Promise<{ readonly checks: readonly Check[]; readonly loaded: Loaded | null }> {
  try {
    const { loaded } = await loadConfiguration({ ...request, flags: {} })
    const { settings, warnings, files } = loaded
    const named = files.map((file) => file.path).join(', ') || 'defaults'
    const notes = warnings.map((warning) => `; ${warning}`).join('')
    const config: Check = { check: 'config', ok: true, needed: true, detail: named + notes }
    return { checks: [config, examineHats(settings)], loaded }
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return { checks: [{ check: 'config', ok: false, needed: true, detail: error.message }], loaded: null }
  }
}

/** What a run would ask about first. It keeps nothing from running once the user has said so. */
function examineTrust({ cwd, env }: ExaminationRequest, registry: Registry, loaded: Loaded | null): Check {
  const { all } = surveyTrust({ config: loaded, registry, backends: null, cwd, env })
  const open = env.RALPH_TRUST === '1' ? [] : all.filter(({ kept }) => !kept)
  const named = (open.length > 0 ? open : all)
    .map(({ executable }) => renderExecutable(executable))
    .join('; ')
  const detail =
    open.length > 0
      ? `untrusted: ${named} (ralph trust)`
      : named || 'no file of the workspace says what is executed'
  return { check: 'trust', ok: open.length === 0, needed: false, detail }
}

function examineHats({ hats, eventLoop }: Settings): Check {
  const start = eventLoop.startingEvent
  const isLost = hats.length > 0 && start !== undefined && createTopology(hats).receiver(start) === null
  const detail = isLost
    ? `no hat receives the starting event ${start}`
    : hats.length === 0
      ? 'none: ralph itself plays the whole run'
      : hats.map((hat) => hat.id).join(', ')
  return { check: 'hats', ok: !isLost, needed: true, detail }
}

function examineWorkspace(cwd: string): Check {
  const own = join(cwd, RALPH_DIR)
  const dir = existsSync(own) ? own : cwd
  try {
    accessSync(dir, constants.W_OK | constants.X_OK)
    return { check: 'workspace', ok: true, needed: true, detail: `${dir} can be written` }
  } catch (error) {
    return { check: 'workspace', ok: false, needed: true, detail: messageOf(error) }
  }
}

/** What the config uses must be there; for `auto`, or where the config is broken, any program will do. */
function examineBackends(
  backends: readonly Inspected[],
  settings: Settings | null,
  look: Look,
): readonly Check[] {
  const { names, commands } = settings === null ? UNKNOWN : usedPrograms(settings)
  const rows = backends.map(({ name, found, program, version, verified, remarks }): Check => {
    const notes = [...(verified ? [] : ['unverified']), ...remarks]
    const detail = [program ?? 'no program', ...(version === null ? [] : [version]), ...notes].join('; ')
    return { check: `backend ${name}`, ok: found, needed: names.has(name), detail }
  })
  const programs = [...commands].map((command): Check => {
    const path = look.which(command)
    const detail = path === null ? `${command} is not there, or cannot be executed` : path
    return { check: `program ${command}`, ok: path !== null, needed: true, detail }
  })
  if (settings !== null && !names.has(AUTO_BACKEND)) return [...rows, ...programs]
  const ok = backends.some((backend) => backend.found && !REHEARSAL.has(backend.name))
  const detail = ok ? 'at least one is there' : 'none is there'
  return [...rows, ...programs, { check: 'backends', ok, needed: true, detail }]
}

interface Used {
  /** Of backends that bring their own program. */
  readonly names: ReadonlySet<string>
  /** Programs that the config names. */
  readonly commands: ReadonlySet<string>
}

const UNKNOWN: Used = { names: new Set(), commands: new Set() }

/** Always there, and no help in earnest. */
const REHEARSAL = new Set(['mock', 'custom'])

function usedPrograms({ cli, hats }: Settings): Used {
  const names = new Set<string>()
  const commands = new Set<string>()
  const use = (name: string): void => {
    if (name === cli.backend && cli.command !== undefined) commands.add(cli.command)
    else names.add(name)
  }
  use(cli.backend)
  for (const { backend } of hats) {
    if (backend?.kind === 'named') use(backend.name)
    else if (backend?.kind === 'command') commands.add(backend.command)
  }
  return { names, commands }
}

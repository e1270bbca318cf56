import type { Look } from '../core/backend/contract.ts'
import type { Registry } from '../core/backend/registry.ts'
import { homeOf } from '../core/config/home.ts'
import type { Loaded } from '../core/config/load.ts'
import type { Settings } from '../core/config/settings.ts'
import { RalphError } from '../core/errors.ts'
import type { HatId } from '../core/hat.ts'
import { stateFolder } from '../core/journal/paths.ts'
import { collectSecrets, redactDeep } from '../core/secrets.ts'
import type { Executable } from '../core/trust/executable.ts'
import { type Cast, castHats, type Part } from './cast.ts'
import { maskSecrets, programOf } from './command-line.ts'
import { findBackends, loadConfiguration } from './configuration.ts'
import { examineBackend } from './doctor/backends.ts'
import { broken, type Check, doubtful, fine } from './doctor/check.ts'
import { rateDisk, readDisk } from './doctor/disk.ts'
import { rateFileWatching, readWatchLimits } from './doctor/file-watching.ts'
import { examineStateFolder, examineWorkspace } from './doctor/folders.ts'
import { lookAtGit, rateGit } from './doctor/git.ts'
import { rateOpenFiles, readFileLimits } from './doctor/open-files.ts'
import { examinePath } from './doctor/path.ts'
import { cautiousLook, type Inspected, inspectBackends } from './inspection.ts'
import { startingEventProblem } from './starting-event.ts'
import { createInside } from './trust/inside.ts'
import { trustKept } from './trust/settle.ts'
import { surveyTrust } from './trust/survey.ts'
import { renderExecutable } from './view/trust.ts'

export interface ExaminationRequest {
  readonly config: readonly string[]
  readonly hats: string | undefined
  readonly plugins: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * All that a run needs: config, hats, folders, limits of the system, and every backend's program. Starts no agent, and
 * nothing of a workspace that nobody has spoken for.
 */
export async function examine(request: ExaminationRequest): Promise<readonly Check[]> {
  const { cwd, env } = request
  const look = cautiousLook(env, cwd)
  const { checks, loaded } = await examineConfig(request)
  const registry = trustKept(findBackends(request), request)
  const [cast, inspected, git] = await Promise.all([
    loaded === null ? null : castHats({ ...loaded, registry, extraArgs: [], cwd, look }),
    inspectBackends(registry, look),
    lookAtGit(look, cwd),
  ])
  const parts = cast?.ok ? [...cast.value.parts.values()] : []
  const found = [
    ...checks,
    examineTrust(request, registry, loaded),
    ...examineSystem(request, look, loaded?.settings ?? null, parts),
    rateGit(git),
    cast === null
      ? anyBackend(inspected)
      : cast.ok
        ? castCheck(cast.value)
        : broken('cast', cast.error.message, cast.error.hint),
    ...programChecks(parts, look),
    ...backendChecks(inspected, parts, request),
  ]
  return redactDeep(found, collectSecrets(env))
}

async function examineConfig(
  request: ExaminationRequest,
): Promise<{ readonly checks: readonly Check[]; readonly loaded: Loaded | null }> {
  try {
    const { loaded } = await loadConfiguration({ ...request, flags: {} })
    const { settings, warnings, files } = loaded
    const named = files.map((file) => file.path).join(', ') || 'defaults'
    const config =
      warnings.length === 0
        ? fine('config', named)
        : doubtful('config', [named, ...warnings].join('; '), 'docs/configuration.md has all keys')
    return { checks: [config, examineHats(settings)], loaded }
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return { checks: [broken('config', error.message, error.hint)], loaded: null }
  }
}

function examineHats(settings: Settings): Check {
  const problem = startingEventProblem(settings)
  if (problem !== null)
    return broken('hats', problem.text, problem.hint ?? '`ralph hats validate` looks closer')
  const ids = settings.hats.map((hat) => hat.id)
  return fine('hats', ids.length === 0 ? 'none: ralph itself plays the whole run' : ids.join(', '))
}

/** What a run would ask about first. It keeps nothing from running once the user has said so. */
function examineTrust({ cwd, env }: ExaminationRequest, registry: Registry, config: Loaded | null): Check {
  const { all } = surveyTrust({ config, registry, backends: null, cwd, env })
  const open = env.RALPH_TRUST === '1' ? [] : all.filter(({ kept }) => !kept)
  const named = (of: typeof all) =>
    of.map(({ executable }) => renderExecutable(masked(executable))).join('; ')
  return open.length > 0
    ? doubtful('trust', `untrusted: ${named(open)}`, 'read what it is, then `ralph trust`')
    : fine('trust', named(all) || 'no file of the workspace says what is executed')
}

/** `ralph trust` shows it as it is; a report is passed on to others. */
function masked(executable: Executable): Executable {
  return executable.kind === 'program' ? { ...executable, words: maskSecrets(executable.words) } : executable
}

function examineSystem(
  { cwd, env }: ExaminationRequest,
  look: Look,
  settings: Settings | null,
  parts: readonly Part[],
): readonly Check[] {
  const home = homeOf(env)
  const isInside = createInside(cwd, home)
  const isHome = home !== null && isInside(home)
  const agents = settings?.features.maxConcurrency ?? 1
  return [
    examineWorkspace(cwd),
    examineStateFolder(env, isInside),
    rateDisk('disk', readDisk(cwd), 'the workspace'),
    rateDisk('state disk', readDisk(stateFolder(env) ?? cwd), "runs' journals and logs"),
    rateOpenFiles(readFileLimits(), agents),
    rateFileWatching(readWatchLimits(look.uid), agents),
    ...examinePath({
      look,
      executable: process.execPath,
      isInside: isHome ? () => false : isInside,
      programs: [...new Set(parts.flatMap(ownProgram))],
    }),
  ]
}

/** Of a backend that brings its own program. */
function ownProgram(part: Part): readonly string[] {
  return part.options.command === undefined && part.backend.program !== undefined
    ? [part.backend.program]
    : []
}

function castCheck({ parts, warnings }: Cast): Check {
  const byBackend = new Map<string, HatId[]>()
  for (const { backend, hat } of parts.values()) {
    byBackend.set(backend.name, [...(byBackend.get(backend.name) ?? []), hat || 'ralph'])
  }
  const detail = [...byBackend].map(([name, hats]) => `${name} plays ${hats.join(', ')}`).join('; ')
  return warnings.length === 0
    ? fine('cast', detail)
    : doubtful(
        'cast',
        [detail, ...warnings].join('; '),
        'docs/access.md says what each program can be held to',
      )
}

/** Where the config is broken, nobody knows which one it means. */
function anyBackend(backends: readonly Inspected[]): Check {
  const there = backends.flatMap((one) =>
    one.ok && one.value.detection.found && one.value.backend.program !== undefined ? [one.entry.name] : [],
  )
  return there.length > 0
    ? fine('cast', `there are ${there.join(', ')}`)
    : broken('cast', 'no backend has its program here', 'install one of those below')
}

/** Programs that the config names in place of a backend's own, or in front of every agent. */
function programChecks(parts: readonly Part[], look: Look): readonly Check[] {
  const named = parts.flatMap((part) => [
    ...(part.options.command === undefined ? [] : [programOf(part)]),
    ...(part.wrap?.[0] === undefined ? [] : [part.wrap[0]]),
  ])
  // A rehearsal plays with this very program, whatever the config names.
  return [...new Set(named)]
    .filter((program) => program !== 'ralph')
    .map((program) => {
      const path = look.which(program)
      return path === null
        ? broken(
            `program ${program}`,
            `${program} is not there, or cannot be executed`,
            'correct its name, or chmod +x',
          )
        : fine(`program ${program}`, path)
    })
}

/** Those that play come first. */
function backendChecks(
  backends: readonly Inspected[],
  parts: readonly Part[],
  { env }: ExaminationRequest,
): readonly Check[] {
  const checks = backends.map((one) =>
    examineBackend(one, {
      parts: parts.filter(
        ({ backend, options }) => backend.name === one.entry.name && options.command === undefined,
      ),
      env,
      home: homeOf(env),
    }),
  )
  return [...checks].sort((a, b) => Number(b.backend.used) - Number(a.backend.used))
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentTask, Backend, Look } from '../core/backend/contract.ts'
import type { Registry } from '../core/backend/registry.ts'
import { adapterFor } from '../core/config/adapters.ts'
import { checkUse } from '../core/config/checks/backends.ts'
import { formatFault } from '../core/config/fault.ts'
import { AUTO_BACKEND, COMMAND_BACKEND } from '../core/config/names.ts'
import type { Settings } from '../core/config/settings.ts'
import { type Mapping, mapping } from '../core/config/tree.ts'
import { RalphError } from '../core/errors.ts'
import type { BackendChoice, Hat, HatId } from '../core/hat.ts'
import { err, ok, type Result } from '../core/result.ts'
import { type AccessRequest, grantAccess } from './grant-access.ts'
import { findUndoing, UNDOING_HINT } from './undoing-file.ts'

/** Who plays the hats of a run. */
export interface Cast {
  /** By hat, in config order; key `''` is the coordinator, and the item of `ralph wave run`. */
  readonly parts: ReadonlyMap<HatId, Part>
  /** What a person should know of it, one line each. */
  readonly warnings: readonly string[]
  /** What `auto` chose, and why; null: the backend was named. */
  readonly chosen: string | null
}

/** One hat and what plays it. */
export interface Part {
  readonly hat: HatId
  readonly backend: Backend
  /** The part of every task for this hat that comes from config and flags. */
  readonly options: PartOptions
  /** Words in front of its command line. */
  readonly wrap?: readonly string[]
}

export type PartOptions = Pick<
  AgentTask,
  'command' | 'args' | 'model' | 'effort' | 'promptMode' | 'promptFlag' | 'script' | 'access'
>

export interface CastRequest {
  readonly settings: Settings
  readonly registry: Registry
  /** Words after `--`: for the global backend and hats that name the same one. */
  readonly extraArgs: readonly string[]
  readonly cwd: string
  /** For the backend `auto`. */
  readonly look: Look
  /** The merged configuration, for the places of faults. */
  readonly tree?: Mapping
  /** False in `ralph wave run`, where an agent's final message is result enough. */
  readonly needsEvents?: boolean
}

/** Chooses and loads the backend of each hat (contract/loop §14.4, §14.5). Fails with the first that cannot be had. */
export async function castHats(request: CastRequest): Promise<Result<Cast, RalphError>> {
  const global = await globalBackend(request)
  if (!global.ok) return global
  const { backend, chosen } = global.value
  const parts = new Map<HatId, Part>([['', globalPart(request, backend)]])
  for (const hat of request.settings.hats) {
    const part = await hatPart(request, hat, backend)
    if (!part.ok) return part
    parts.set(hat.id, part.value)
  }
  const fault = scriptFault(parts.values()) ?? useFault(request, parts)
  if (fault !== null) return err(fault)
  const settled = withAccess(request, [...parts.values()])
  return settled.ok ? ok({ ...settled.value, chosen }) : settled
}

/** The config check could not know which backend `auto` becomes, nor what the file of a plugin says of itself. */
function useFault({ settings, tree = NO_TREE }: CastRequest, parts: Cast['parts']): RalphError | null {
  const global = parts.get('')?.backend.name ?? settings.cli.backend
  const resolved = { ...settings, cli: { ...settings.cli, backend: global } }
  const backends = new Map([...parts.values()].map(({ backend }) => [backend.name, backend.traits]))
  const faults = checkUse(resolved, { backends }, tree)
  return faults.length === 0 ? null : new RalphError('config', faults.map(formatFault).join('\n'))
}

const NO_TREE: Mapping = mapping({ origin: { label: 'config', path: null } })

/** Settles what each part may do, and what stands in front of it. Fails with all that cannot be kept. */
function withAccess(request: CastRequest, parts: readonly Part[]): Result<Omit<Cast, 'chosen'>, RalphError> {
  const { settings, tree = NO_TREE, needsEvents = true, cwd } = request
  const { wrap } = settings.cli
  let hasUndoing = false
  const faults: string[] = []
  const passedOver = new Map<string, string[]>()
  const settled = parts.map((part): Part => {
    const { backend, options } = part
    const hat = settings.hats.find(({ id }) => id === part.hat) ?? null
    const undoing: AccessRequest['undoing'] = (...of) => {
      const why = findUndoing(...of, cwd)
      hasUndoing ||= why !== null
      return why
    }
    const granted = grantAccess({ settings, tree, hat, backend, args: options.args, needsEvents, undoing })
    if (!granted.ok) faults.push(granted.error)
    const { access = 'full', passedOver: wish } = granted.ok ? granted.value : {}
    if (wish !== undefined) {
      const text = `${wish.why}, which the preset asks for: with access "${access}" play`
      passedOver.set(text, [...(passedOver.get(text) ?? []), part.hat])
    }
    return {
      ...part,
      options: access === 'full' ? options : { ...options, access },
      ...(wrap.length === 0 ? {} : { wrap }),
    }
  })
  if (faults.length > 0) {
    const hint = hasUndoing
      ? UNDOING_HINT
      : 'choose a backend that can (docs/access.md), or put a sandbox in front of it: cli.wrap'
    return err(new RalphError('config', [...new Set(faults)].join('\n'), { hint }))
  }
  return ok({
    parts: new Map(settled.map((part) => [part.hat, part])),
    warnings: [...passedOver].map(([text, hats]) => `${text} ${hats.join(', ')}`),
  })
}

/** Names of all backends that may be loaded for these settings; of `auto`, every candidate. */
export function backendsInUse({ cli, hats }: Settings): ReadonlySet<string> {
  const named = hats.flatMap(({ backend }) => (backend?.kind === 'named' ? backend.name : []))
  return new Set([...(cli.backend === AUTO_BACKEND ? autoOrder(cli) : [cli.backend]), ...named])
}

function autoOrder({ agentPriority }: Settings['cli']): readonly string[] {
  return agentPriority.length > 0 ? agentPriority : AUTO_ORDER
}

type Chosen = Pick<Cast, 'chosen'> & { readonly backend: Backend }

async function globalBackend(request: CastRequest): Promise<Result<Chosen, RalphError>> {
  const { backend } = request.settings.cli
  if (backend === AUTO_BACKEND) return firstFound(request)
  const loaded = await loadSelected(request.registry, backend)
  return loaded.ok ? ok({ backend: loaded.value, chosen: null }) : loaded
}

/** A file that cannot be a backend is said together with what could be named in its place. */
async function loadSelected(registry: Registry, name: string): Promise<Result<Backend, RalphError>> {
  const loaded = await registry.load(name)
  if (loaded.ok || !BROKEN.has(loaded.error.code)) return loaded
  const { code, message, hint, cause } = loaded.error
  const others = registry.names().filter((known) => known !== name)
  return err(
    new RalphError(code, `${message}; other backends: ${others.join(', ')}`, {
      cause,
      ...(hint === undefined ? {} : { hint }),
    }),
  )
}

const BROKEN: ReadonlySet<string> = new Set(['plugin_broken', 'plugin_slow', 'plugin_shape'])

function globalPart({ settings, extraArgs, cwd }: CastRequest, backend: Backend): Part {
  const { command, args, model, effort, promptMode, promptFlag } = settings.cli
  return {
    hat: '',
    backend,
    options: {
      ...(command === undefined ? {} : { command }),
      args: [...args, ...extraArgs],
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      promptMode,
      ...(promptFlag === undefined ? {} : { promptFlag }),
      ...scriptOf(settings, backend.name, cwd),
    },
  }
}

async function hatPart(
  request: CastRequest,
  hat: Hat,
  globalBackend: Backend,
): Promise<Result<Part, RalphError>> {
  const common = globalPart(request, globalBackend).options
  const own = {
    ...(hat.model === undefined ? {} : { model: hat.model }),
    ...(hat.effort === undefined ? {} : { effort: hat.effort }),
  }
  const choice = hat.backend
  if (choice === undefined || (choice.kind === 'named' && choice.name === globalBackend.name)) {
    const ofChoice = choice === undefined ? [] : namedArgs(choice)
    const { args } = request.settings.cli
    const all = [...args, ...ofChoice, ...request.extraArgs, ...hat.backendArgs]
    return ok({ hat: hat.id, backend: globalBackend, options: { ...common, ...own, args: all } })
  }
  const { registry } = request
  const backend = await loadSelected(registry, choice.kind === 'named' ? choice.name : COMMAND_BACKEND)
  if (!backend.ok) return backend
  const options =
    choice.kind === 'named'
      ? {
          args: [...namedArgs(choice), ...hat.backendArgs],
          ...scriptOf(request.settings, choice.name, request.cwd),
        }
      : {
          command: choice.command,
          args: [...choice.args, ...hat.backendArgs],
          promptMode: choice.promptMode,
          ...(choice.promptFlag === undefined ? {} : { promptFlag: choice.promptFlag }),
        }
  return ok({ hat: hat.id, backend: backend.value, options: { ...options, ...own } })
}

/** `--agent A` of a hat's backend stands before its further arguments. */
function namedArgs(choice: Extract<BackendChoice, { readonly kind: 'named' }>): readonly string[] {
  return choice.agent === undefined ? choice.args : ['--agent', choice.agent, ...choice.args]
}

function scriptOf(settings: Settings, backend: string, cwd: string): { script?: string } {
  const script = settings.adapters[backend]?.script
  return script === undefined ? {} : { script: resolve(cwd, script) }
}

/** A script that is not there would only show as one failed agent after the other. */
function scriptFault(parts: Iterable<Part>): RalphError | null {
  for (const { options, backend } of parts) {
    if (options.script === undefined || existsSync(options.script)) continue
    return new RalphError(
      'script_missing',
      `cannot read the script ${options.script}: there is no such file`,
      {
        hint: `adapters.${backend.name}.script names it, relative to this folder`,
      },
    )
  }
  return null
}

/** `auto`: the first backend in order whose program answers `--version`, and that is not switched off. */
async function firstFound(request: CastRequest): Promise<Result<Chosen, RalphError>> {
  const { settings, registry, look } = request
  const tried: string[] = []
  for (const name of autoOrder(settings.cli)) {
    if (!adapterFor(settings.adapters, name).enabled) {
      tried.push(`${name} (switched off)`)
      continue
    }
    if (!registry.names().includes(name)) continue
    const backend = await loadSelected(registry, name)
    if (!backend.ok) return backend
    const detection = await backend.value.detect(look)
    if (detection.found) return ok({ backend: backend.value, chosen: chosenText(settings, name, tried) })
    tried.push(`${name} (${detection.program})`)
  }
  return err(
    new RalphError('backend_none', `no backend was found; tried: ${tried.join(', ')}`, {
      hint: 'install one of these programs, or name a backend with -b or cli.backend',
    }),
  )
}

/** `auto: codex, the first in order that is there; passed over: claude (claude), gemini (switched off)` */
function chosenText({ cli }: Settings, name: string, passedOver: readonly string[]): string {
  const order = cli.agentPriority.length > 0 ? 'in the order of agent_priority' : 'in order'
  const others = passedOver.length === 0 ? '' : `; passed over: ${passedOver.join(', ')}`
  return `auto: ${name}, the first ${order} that is there${others}`
}

const AUTO_ORDER = [
  'claude',
  'kiro',
  'gemini',
  'codex',
  'forge',
  'amp',
  'copilot',
  'opencode',
  'pi',
  'roo',
] as const

import { resolve } from 'node:path'
import type { AgentTask, Backend, Look } from '../core/backend/contract.ts'
import type { Registry } from '../core/backend/registry.ts'
import { adapterFor } from '../core/config/adapters.ts'
import { AUTO_BACKEND, COMMAND_BACKEND } from '../core/config/names.ts'
import type { Settings } from '../core/config/settings.ts'
import { RalphError } from '../core/errors.ts'
import type { BackendChoice, Hat, HatId } from '../core/hat.ts'
import { err, ok, type Result } from '../core/result.ts'

/** Who plays the hats of a run. */
export interface Cast {
  /** By hat, in config order; key `''` is the coordinator, and the item of `ralph wave run`. */
  readonly parts: ReadonlyMap<HatId, Part>
}

/** One hat and what plays it. */
export interface Part {
  readonly hat: HatId
  readonly backend: Backend
  /** The part of every task for this hat that comes from config and flags. */
  readonly options: PartOptions
}

export type PartOptions = Pick<
  AgentTask,
  'command' | 'args' | 'model' | 'promptMode' | 'promptFlag' | 'script'
>

export interface CastRequest {
  readonly settings: Settings
  readonly registry: Registry
  /** Words after `--`: for the global backend and hats that name the same one. */
  readonly extraArgs: readonly string[]
  readonly cwd: string
  /** For the backend `auto`. */
  readonly look: Look
}

/** Chooses and loads the backend of each hat (contract/loop §14.4, §14.5). Fails with the first that cannot be had. */
export async function castHats(request: CastRequest): Promise<Result<Cast, RalphError>> {
  const global = await globalBackend(request)
  if (!global.ok) return global
  const parts = new Map<HatId, Part>([['', globalPart(request, global.value)]])
  for (const hat of request.settings.hats) {
    const part = await hatPart(request, hat, global.value)
    if (!part.ok) return part
    parts.set(hat.id, part.value)
  }
  return ok({ parts })
}

/** Names of all backends that may be loaded for these settings; of `auto`, every candidate. */
export function backendsInUse({ cli, hats }: Settings): ReadonlySet<string> {
  const named = hats.flatMap(({ backend }) => (backend?.kind === 'named' ? backend.name : []))
  return new Set([...(cli.backend === AUTO_BACKEND ? autoOrder(cli) : [cli.backend]), ...named])
}

function autoOrder({ agentPriority }: Settings['cli']): readonly string[] {
  return agentPriority.length > 0 ? agentPriority : AUTO_ORDER
}

async function globalBackend(request: CastRequest): Promise<Result<Backend, RalphError>> {
  const { backend } = request.settings.cli
  return backend === AUTO_BACKEND ? firstFound(request) : request.registry.load(backend)
}

function globalPart({ settings, extraArgs, cwd }: CastRequest, backend: Backend): Part {
  const { command, args, model, promptMode, promptFlag } = settings.cli
  return {
    hat: '',
    backend,
    options: {
      ...(command === undefined ? {} : { command }),
      args: [...args, ...extraArgs],
      ...(model === undefined ? {} : { model }),
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
  const model = hat.model === undefined ? {} : { model: hat.model }
  const choice = hat.backend
  if (choice === undefined || (choice.kind === 'named' && choice.name === globalBackend.name)) {
    const own = choice === undefined ? [] : namedArgs(choice)
    const { args } = request.settings.cli
    const all = [...args, ...own, ...request.extraArgs, ...hat.backendArgs]
    return ok({ hat: hat.id, backend: globalBackend, options: { ...common, ...model, args: all } })
  }
  const backend = await request.registry.load(choice.kind === 'named' ? choice.name : COMMAND_BACKEND)
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
  return ok({ hat: hat.id, backend: backend.value, options: { ...options, ...model } })
}

/** `--agent A` of a hat's backend stands before its further arguments. */
function namedArgs(choice: Extract<BackendChoice, { readonly kind: 'named' }>): readonly string[] {
  return choice.agent === undefined ? choice.args : ['--agent', choice.agent, ...choice.args]
}

function scriptOf(settings: Settings, backend: string, cwd: string): { script?: string } {
  const script = settings.adapters[backend]?.script
  return script === undefined ? {} : { script: resolve(cwd, script) }
}

/** `auto`: the first backend in order whose program answers `--version`, and that is not switched off. */
async function firstFound(request: CastRequest): Promise<Result<Backend, RalphError>> {
  const { settings, registry, look } = request
  const tried: string[] = []
  for (const name of autoOrder(settings.cli)) {
    if (!adapterFor(settings.adapters, name).enabled) {
      tried.push(`${name} (switched off)`)
      continue
    }
    if (!registry.names().includes(name)) continue
    const backend = await registry.load(name)
    if (!backend.ok) return backend
    const detection = await backend.value.detect(look)
    if (detection.found) return backend
    tried.push(`${name} (${detection.program})`)
  }
  return err(
    new RalphError('backend_none', `no backend was found; tried: ${tried.join(', ')}`, {
      hint: 'install one of these programs, or name a backend with -b or cli.backend',
    }),
  )
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

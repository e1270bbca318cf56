import type { Hat } from '../../hat.ts'
import { closest } from '../../nearest.ts'
import { type ConfigFault, keyFault, valueFault } from '../fault.ts'
import { AUTO_BACKEND, BACKENDS_WITH_AGENTS, COMMAND_BACKEND } from '../names.ts'
import type { Settings } from '../settings.ts'
import { at, type KeyPath, type Mapping, mappingAt } from '../tree.ts'

/** What the check must know of a backend; `unloaded` for a plugin's file that nobody has loaded yet: its traits are not checked. */
export type BackendSummary =
  | {
      readonly takesModel: boolean
      /** Absent: it takes none. */
      readonly effort?: readonly string[]
      readonly reportsCost: boolean
      readonly reportsTokens: boolean
    }
  | 'unloaded'

export interface KnownBackends {
  /** By name. */
  readonly backends: ReadonlyMap<string, BackendSummary>
  /** Names that will be backends one day, and why they are not yet. */
  readonly planned: Readonly<Record<string, string>>
}

/**
 * Names, models, efforts and budgets against the backends in use (contract/loop §10.1, §14.4, §14.5).
 * @param tree the merged configuration, for the places of faults
 */
export function checkBackends(
  settings: Settings,
  known: KnownBackends,
  tree: Mapping,
): readonly ConfigFault[] {
  return [...nameFaults(settings, known, tree), ...checkUse(settings, known, tree)]
}

/**
 * What the backends in use cannot do of what is asked of them. To be asked again once `auto` is resolved
 * (`settings.cli.backend` replaced) and files of plugins are loaded: only then it is known of them.
 */
export function checkUse(
  settings: Settings,
  known: Pick<KnownBackends, 'backends'>,
  tree: Mapping,
): readonly ConfigFault[] {
  return [
    ...modelFaults(settings, known, tree),
    ...effortFaults(settings, known, tree),
    ...budgetFaults(settings, known, tree),
  ]
}

function nameFaults(settings: Settings, known: KnownBackends, tree: Mapping): readonly ConfigFault[] {
  const { backend, agentPriority } = settings.cli
  const adapters = [...(mappingAt(tree, ['adapters'])?.entries.keys() ?? [])]
  return [
    ...(backend === AUTO_BACKEND
      ? []
      : nameFault(backend, { ...known, path: ['cli', 'backend'], tree, auto: true })),
    ...agentPriority.flatMap((name, i) => nameFault(name, { ...known, path: ['agent_priority', i], tree })),
    ...adapters.flatMap((name) => nameFault(name, { ...known, path: ['adapters', name], tree, isKey: true })),
    ...settings.hats.flatMap((hat) => hatBackendFaults(hat, known, tree)),
  ]
}

interface NameUse extends KnownBackends {
  readonly tree: Mapping
  readonly path: KeyPath
  /** `auto` would be right here too. */
  readonly auto?: boolean
  readonly isKey?: boolean
}

function nameFault(name: string, use: NameUse): readonly ConfigFault[] {
  if (use.backends.has(name)) return []
  const fault = use.isKey ? keyFault : valueFault
  const why = Object.hasOwn(use.planned, name) ? use.planned[name] : undefined
  if (why !== undefined) return [fault(use.tree, use.path, `backend "${name}" is not available yet: ${why}`)]
  const names = [...(use.auto ? [AUTO_BACKEND] : []), ...use.backends.keys()]
  const text = `unknown backend "${name}", did you mean "${closest(name, names)}"? known: ${names.join(', ')}`
  return [fault(use.tree, use.path, text)]
}

function hatBackendFaults(hat: Hat, known: KnownBackends, tree: Mapping): readonly ConfigFault[] {
  // A form that names neither a backend nor a command has its own fault.
  if (hat.backend?.kind !== 'named' || hat.backend.name === '') return []
  const { name, agent } = hat.backend
  const isShort = mappingAt(tree, ['hats', hat.id, 'backend']) === undefined
  const path = isShort ? ['hats', hat.id, 'backend'] : ['hats', hat.id, 'backend', 'type']
  const faults = nameFault(name, { ...known, path, tree })
  if (faults.length > 0 || agent === undefined || BACKENDS_WITH_AGENTS.includes(name)) return faults
  const text = `backend "${name}" has no agents to choose from; only ${BACKENDS_WITH_AGENTS.join(', ')} has`
  return [keyFault(tree, ['hats', hat.id, 'backend', 'agent'], text)]
}

function modelFaults(
  settings: Settings,
  { backends }: Pick<KnownBackends, 'backends'>,
  tree: Mapping,
): readonly ConfigFault[] {
  const asked = [
    { model: settings.cli.model, name: settings.cli.backend, path: ['cli', 'model'] },
    ...settings.hats.map((hat) => ({
      model: hat.model,
      name: backendNameOf(hat, settings),
      path: ['hats', hat.id, 'model'],
    })),
  ]
  return asked.flatMap(({ model, name, path }) => {
    const summary = backends.get(name)
    if (model === undefined || summary === undefined || summary === 'unloaded' || summary.takesModel)
      return []
    return [valueFault(tree, path, `backend "${name}" takes no model`)]
  })
}

function effortFaults(
  settings: Settings,
  { backends }: Pick<KnownBackends, 'backends'>,
  tree: Mapping,
): readonly ConfigFault[] {
  const asked = [
    { effort: settings.cli.effort, name: settings.cli.backend, path: ['cli', 'effort'] },
    ...settings.hats.map((hat) => ({
      effort: hat.effort,
      name: backendNameOf(hat, settings),
      path: ['hats', hat.id, 'effort'],
    })),
  ]
  return asked.flatMap(({ effort, name, path }) => {
    const summary = backends.get(name)
    if (effort === undefined || summary === undefined || summary === 'unloaded') return []
    const text = effortProblem(name, summary.effort, effort)
    return text === null ? [] : [valueFault(tree, path, text)]
  })
}

/** Why a backend cannot be asked for a level of effort; null: it can. A program passes over a word that it does not know. */
function effortProblem(name: string, levels: readonly string[] | undefined, effort: string): string | null {
  if (levels === undefined || levels.length === 0) return `backend "${name}" has no setting for effort`
  return levels.includes(effort)
    ? null
    : `backend "${name}" knows no effort "${effort}"; it has ${levels.join(', ')}`
}

/** A budget counts only if every backend in use says what it spent. */
function budgetFaults(
  settings: Settings,
  { backends }: Pick<KnownBackends, 'backends'>,
  tree: Mapping,
): readonly ConfigFault[] {
  const { maxCostUsd, maxTokensTotal } = settings.eventLoop
  const users = new Map<string, string>([[settings.cli.backend, '']])
  for (const hat of settings.hats) {
    const name = backendNameOf(hat, settings)
    if (!users.has(name)) users.set(name, ` (of hat "${hat.id}")`)
  }
  return [...users].flatMap(([name, user]) => {
    const summary = backends.get(name)
    if (summary === undefined || summary === 'unloaded') return []
    const backend = `backend "${name}"${user}`
    const price = ['adapters', name, 'price']
    const hasPrice = at(tree, price) !== undefined
    const faults: ConfigFault[] = []
    if (maxCostUsd !== undefined && !summary.reportsCost && !hasPrice) {
      const ways = summary.reportsTokens
        ? `set ${price.join('.')}, or use event_loop.max_tokens_total in its place`
        : `it reports no tokens either, so neither a price (${price.join('.')}) nor event_loop.max_tokens_total in its place can help: use another backend, or limit iterations and time`
      faults.push(
        valueFault(
          tree,
          ['event_loop', 'max_cost_usd'],
          `cannot be kept: ${backend} reports no cost; ${ways}`,
        ),
      )
    }
    if (summary.reportsTokens) return faults
    if (maxTokensTotal !== undefined) {
      const text = `cannot be kept: ${backend} reports no tokens`
      faults.push(valueFault(tree, ['event_loop', 'max_tokens_total'], text))
    }
    if (hasPrice) {
      faults.push(keyFault(tree, price, `cannot be applied: ${backend} reports no tokens`))
    }
    return faults
  })
}

/** The backend that plays a hat; commands count as the command backend. */
function backendNameOf(hat: Hat, settings: Settings): string {
  if (hat.backend === undefined) return settings.cli.backend
  return hat.backend.kind === 'named' ? hat.backend.name : COMMAND_BACKEND
}

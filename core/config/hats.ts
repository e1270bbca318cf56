import type { Aggregate, BackendChoice, Hat, Retry, Scratchpad } from '../hat.ts'
import { type ConfigFault, keyFault } from './fault.ts'
import { optional } from './optional.ts'
import type { RawHat } from './schema.ts'
import { type Mapping, mappingAt, put, without } from './tree.ts'

export const DEFAULT_SCRATCHPAD: Scratchpad = { enabled: true, path: '.ralph/agent/scratchpad.md' }
export const ARGS_TWICE = 'means backend_args, which is set too'
const DEFAULT_AGGREGATE_SECONDS = 300
const DEFAULT_BUDGET_BYTES = 200_000

/** A hat as the rest of the program knows it. What is missing in the file and has no default was reported before. */
export function toHat(id: string, raw: RawHat): Hat {
  const name = raw.name ?? id
  return {
    id,
    name,
    description: raw.description?.trim() ? raw.description : name,
    triggers: raw.triggers ?? [],
    publishes: raw.publishes ?? [],
    instructions: joinInstructions([raw.instructions ?? '', ...(raw.extra_instructions ?? [])]),
    ...optional('backend', raw.backend && toBackend(raw.backend)),
    backendArgs: raw.backend_args ?? [],
    ...optional('model', raw.model),
    ...optional('effort', raw.effort),
    ...optional('access', raw.access),
    ...optional('defaultPublishes', raw.default_publishes),
    ...optional('maxActivations', raw.max_activations),
    ...optional('scratchpad', raw.scratchpad && toScratchpad(raw.scratchpad)),
    disallowedTools: raw.disallowed_tools ?? [],
    ...optional('timeoutSeconds', raw.timeout),
    concurrency: raw.concurrency ?? 1,
    ...optional('aggregate', raw.aggregate && toAggregate(raw.aggregate)),
    ...optional('retry', raw.retry && toRetry(raw.retry)),
  }
}

/** A file's scratchpad; `p.md` is short for `{enabled: true, path: p.md}`. */
export function toScratchpad(raw: NonNullable<RawHat['scratchpad']>): Scratchpad {
  if (typeof raw === 'string') return { enabled: true, path: raw }
  return { enabled: raw.enabled ?? true, path: raw.path ?? DEFAULT_SCRATCHPAD.path }
}

/** The keys of a retry rule that a file sets. */
export function toRetry(raw: NonNullable<RawHat['retry']>): Partial<Retry> {
  return {
    ...optional('attempts', raw.attempts),
    ...optional('on', raw.on),
    ...optional('backoffSeconds', raw.backoff_seconds),
  }
}

/** The hats of a layer with `args` under its real name, `backend_args`. */
export function resolveAliases(layer: Mapping): {
  readonly tree: Mapping
  readonly faults: readonly ConfigFault[]
} {
  const faults: ConfigFault[] = []
  let tree = layer
  for (const id of mappingAt(layer, ['hats'])?.entries.keys() ?? []) {
    const hat = mappingAt(layer, ['hats', id])
    if (hat === undefined) continue
    const resolved = resolveAlias(hat)
    if (resolved === 'twice') {
      faults.push(keyFault(layer, ['hats', id, 'args'], ARGS_TWICE))
    } else if (resolved !== hat) {
      tree = put(tree, ['hats', id], resolved, hat.place)
    }
  }
  return { tree, faults }
}

/** A hat with `args` under its real name; `twice` if both names are set. */
export function resolveAlias(hat: Mapping): Mapping | 'twice' {
  const args = hat.entries.get('args')
  if (args === undefined) return hat
  if (hat.entries.has('backend_args')) return 'twice'
  return put(without(hat, ['args']), ['backend_args'], args.value, args.key)
}

/** A hat that imports another: what it says itself wins, key by key. */
export function completeHat(own: Mapping, imported: Mapping): Mapping {
  return { ...own, entries: new Map([...imported.entries, ...without(own, ['import']).entries]) }
}

function joinInstructions(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').reduce((all, part) => joinLines(all, part), '')
}

function joinLines(above: string, below: string): string {
  return above === '' || above.endsWith('\n') ? above + below : `${above}\n${below}`
}

function toBackend(raw: NonNullable<RawHat['backend']>): BackendChoice {
  if (typeof raw === 'string') return { kind: 'named', name: raw, args: [] }
  const args = raw.args ?? []
  if (raw.command == null)
    return { kind: 'named', name: raw.type ?? '', args, ...optional('agent', raw.agent) }
  return {
    kind: 'command',
    command: raw.command,
    args,
    promptMode: raw.prompt_mode ?? 'arg',
    ...optional('promptFlag', raw.prompt_flag),
  }
}

function toAggregate(raw: NonNullable<RawHat['aggregate']>): Aggregate {
  return {
    mode: 'wait_for_all',
    timeoutSeconds: raw.timeout ?? DEFAULT_AGGREGATE_SECONDS,
    timeoutIsSet: raw.timeout != null,
    budgetBytes: raw.budget_bytes ?? DEFAULT_BUDGET_BYTES,
  }
}

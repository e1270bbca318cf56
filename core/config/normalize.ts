import type { Retry } from '../hat.ts'
import { DEFAULT_ADAPTER } from './adapters.ts'
import { DEFAULT_SCRATCHPAD, toHat, toRetry, toScratchpad } from './hats.ts'
import { DEFAULT_BACKEND } from './names.ts'
import { optional } from './optional.ts'
import type { RawConfig } from './schema.ts'
import type {
  AdapterSettings,
  CliSettings,
  CoreSettings,
  EnvPolicy,
  EventLoopSettings,
  FeatureSettings,
  Settings,
  TopicNote,
} from './settings.ts'

type Section<Key extends keyof RawConfig> = NonNullable<RawConfig[Key]>

/** Where the objective is looked for in the end. */
export const DEFAULT_PROMPT_FILE = 'PROMPT.md'

const DEFAULT_GUARDRAILS = [
  'Every iteration begins without memory: write down what the next one has to know.',
  'Search the code before you conclude that something is missing.',
  'Tests, type checks and linters decide what is finished; run them before you say so.',
  'Do one thing at a time, and leave alone what the task does not ask for.',
]

const DEFAULT_RETRY: Retry = {
  attempts: 3,
  on: ['rate_limit', 'overload', 'network', 'locked'],
  backoffSeconds: 10,
}

/**
 * Fills in defaults and gives everything its name in the program.
 * @param hatIds the hats in the order of their file
 */
export function normalize(raw: RawConfig, hatIds: readonly string[]): Settings {
  const hats = hatIds.map((id) => toHat(id, raw.hats?.[id] ?? {}))
  return {
    eventLoop: toEventLoop(raw.event_loop ?? {}),
    cli: toCli(raw.cli ?? {}, raw.agent_priority ?? []),
    core: toCore(raw.core ?? {}, hats.length > 0),
    adapters: mapValues(raw.adapters ?? {}, toAdapter),
    features: toFeatures(raw.features ?? {}),
    hats,
    events: mapValues(raw.events ?? {}, toTopicNote),
    verbose: raw.verbose ?? false,
  }
}

function toEventLoop(raw: Section<'event_loop'>): EventLoopSettings {
  return {
    ...optional('prompt', raw.prompt),
    promptFile: raw.prompt_file || DEFAULT_PROMPT_FILE,
    completionPromise: raw.completion_promise ?? 'LOOP_COMPLETE',
    ...optional('cancellationPromise', raw.cancellation_promise?.trim()),
    maxIterations: raw.max_iterations ?? 100,
    maxRuntimeSeconds: raw.max_runtime_seconds ?? 14_400,
    ...optional('maxCostUsd', raw.max_cost_usd),
    ...optional('maxTokensTotal', raw.max_tokens_total),
    maxConsecutiveFailures: raw.max_consecutive_failures ?? 5,
    maxSilentIterations: raw.max_silent_iterations ?? 3,
    cooldownDelaySeconds: raw.cooldown_delay_seconds ?? 0,
    ...optional('startingEvent', raw.starting_event),
    requiredEvents: raw.required_events ?? [],
    persistent: raw.persistent ?? false,
    enforceHatScope: raw.enforce_hat_scope ?? false,
    ...optional('contextWindowTokens', raw.context_window_tokens),
  }
}

function toCli(raw: Section<'cli'>, agentPriority: readonly string[]): CliSettings {
  return {
    backend: raw.backend ?? DEFAULT_BACKEND,
    ...optional('command', raw.command),
    args: raw.args ?? [],
    ...optional('model', raw.model),
    ...optional('effort', raw.effort),
    promptMode: raw.prompt_mode ?? 'arg',
    ...optional('promptFlag', raw.prompt_flag),
    ...optional('access', raw.access),
    wrap: raw.wrap ?? [],
    env: toEnvPolicy(raw.env ?? 'inherit'),
    agentPriority,
  }
}

function toEnvPolicy(raw: NonNullable<Section<'cli'>['env']>): EnvPolicy {
  if (raw === 'inherit') return raw
  return { allow: raw === 'filtered' ? [] : (raw.allow ?? []) }
}

function toCore(raw: Section<'core'>, hasHats: boolean): CoreSettings {
  const scratchpad = raw.scratchpad ? toScratchpad(raw.scratchpad) : DEFAULT_SCRATCHPAD
  return {
    // Without hats the scratchpad is the only memory that there is.
    scratchpad: hasHats ? scratchpad : { ...scratchpad, enabled: true },
    specsDir: raw.specs_dir ?? '.ralph/specs/',
    guardrails: raw.guardrails ?? DEFAULT_GUARDRAILS,
    guardrailsAreSet: raw.guardrails != null,
  }
}

function toAdapter(raw: NonNullable<Section<'adapters'>[string]>): AdapterSettings {
  const { price } = raw
  const input = price?.input ?? 0
  return {
    timeoutSeconds: raw.timeout ?? DEFAULT_ADAPTER.timeoutSeconds,
    enabled: raw.enabled ?? DEFAULT_ADAPTER.enabled,
    ...optional(
      'price',
      price && { input, output: price.output ?? 0, cachedInput: price.cached_input ?? input },
    ),
    ...optional('script', raw.script),
    ...optional('access', raw.access),
  }
}

function toFeatures(raw: Section<'features'>): FeatureSettings {
  return {
    maxConcurrency: raw.max_concurrency ?? 8,
    maxWaveItems: raw.max_wave_items ?? 100,
    strays: raw.strays ?? 'wave',
    retry: { ...DEFAULT_RETRY, ...toRetry(raw.retry ?? {}) },
    maxAgents: raw.max_agents ?? 1000,
    maxDepth: raw.max_depth ?? 2,
    exitGraceSeconds: raw.exit_grace_seconds ?? 15,
    emitGraceSeconds: raw.emit_grace_seconds ?? 120,
  }
}

function toTopicNote(raw: NonNullable<Section<'events'>[string]>): TopicNote {
  return {
    ...optional('description', raw.description),
    ...optional('onTrigger', raw.on_trigger),
    ...optional('onPublish', raw.on_publish),
  }
}

/** `change` over the values of a mapping; entries set to nothing are not there. */
function mapValues<From, To>(
  from: Readonly<Record<string, From | null>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> {
  const entries = Object.entries(from).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  )
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value)]))
}

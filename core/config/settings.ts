import type { Access } from '../access.ts'
import type { Hat, Retry, Scratchpad } from '../hat.ts'
import type { Topic } from '../topic.ts'

/**
 * The whole configuration after loading: layers merged, defaults filled in, names in our own spelling.
 * Nothing after loading sees raw config. Types, defaults and meaning of each key: contract/loop §2, docs/configuration.md.
 */
export interface Settings {
  readonly eventLoop: EventLoopSettings
  readonly cli: CliSettings
  readonly core: CoreSettings
  /** By backend name; only names that the config mentions. */
  readonly adapters: Readonly<Record<string, AdapterSettings>>
  readonly features: FeatureSettings
  /** In config order, which is routing order. */
  readonly hats: readonly Hat[]
  readonly events: Readonly<Record<Topic, TopicNote>>
  readonly verbose: boolean
}

export interface EventLoopSettings {
  readonly prompt?: string
  readonly promptFile: string
  readonly completionPromise: Topic
  /** Absent: off. */
  readonly cancellationPromise?: Topic
  readonly maxIterations: number
  readonly maxRuntimeSeconds: number
  readonly maxCostUsd?: number
  readonly maxTokensTotal?: number
  readonly maxConsecutiveFailures: number
  /** 0 is off. */
  readonly maxSilentIterations: number
  readonly cooldownDelaySeconds: number
  readonly startingEvent?: Topic
  readonly requiredEvents: readonly Topic[]
  readonly persistent: boolean
  readonly enforceHatScope: boolean
  /** Absent: the backend's own figure. */
  readonly contextWindowTokens?: number
}

export interface CliSettings {
  readonly backend: string
  readonly command?: string
  readonly args: readonly string[]
  readonly model?: string
  /** Level of reasoning effort, in the program's own word. */
  readonly effort?: string
  readonly promptMode: 'arg' | 'stdin'
  readonly promptFlag?: string
  /** The narrowest of this, the backend's and the hat's counts. Absent: full. */
  readonly access?: Access
  /** Words in front of every agent's command line: a sandbox or a container. */
  readonly wrap: readonly string[]
  readonly env: EnvPolicy
  /** Order for `auto`; empty: the built-in order. */
  readonly agentPriority: readonly string[]
}

/** Which variables agents get of the user's environment. What ralph sets itself is always among them. */
export type EnvPolicy =
  | 'inherit'
  /** What programs need in general, what the backend declares, and these; a `*` at the end stands for any rest. */
  | { readonly allow: readonly string[] }

export interface CoreSettings {
  readonly scratchpad: Scratchpad
  readonly specsDir: string
  readonly guardrails: readonly string[]
  /** True if the user's config sets them: only then workers are told (contract/waves §7.1). */
  readonly guardrailsAreSet: boolean
}

export interface AdapterSettings {
  /** Inactivity limit. */
  readonly timeoutSeconds: number
  readonly enabled: boolean
  readonly price?: Price
  /** `mock` only: path of its script. */
  readonly script?: string
  readonly access?: Access
}

/** USD per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cachedInput: number
}

export interface FeatureSettings {
  readonly maxConcurrency: number
  readonly maxWaveItems: number
  readonly strays: 'wave' | 'kill' | 'keep'
  readonly retry: Retry
  readonly maxAgents: number
  readonly maxDepth: number
  /** 0 is off. */
  readonly exitGraceSeconds: number
  /** 0 is off. */
  readonly emitGraceSeconds: number
}

/** What prompts say of a topic beside its name. */
export interface TopicNote {
  readonly description?: string
  readonly onTrigger?: string
  readonly onPublish?: string
}

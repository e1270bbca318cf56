/**
 * The backend names that the file format itself gives a meaning to (contract/loop §2.3, §14.4).
 * They stand here and nowhere else in the core.
 */

/** Counts where `cli.backend` is not set. Its entry in `adapters` also counts for backends without one. */
export const DEFAULT_BACKEND = 'claude'

/** Backends whose missing entry in `adapters` means the built-in defaults. */
export const OWN_ADAPTER_DEFAULTS: readonly string[] = ['gemini', 'kiro', 'codex', 'amp']

/** Chooses among the backends that are installed. */
export const AUTO_BACKEND = 'auto'

/** Runs `cli.command`, or the command of a hat. */
export const COMMAND_BACKEND = 'custom'

/** The one that reads `adapters.<name>.script`. */
export const SCRIPTED_BACKEND = 'mock'

/** Backends that have agents to choose from: `backend: {type, agent}`. */
export const BACKENDS_WITH_AGENTS: readonly string[] = ['kiro']

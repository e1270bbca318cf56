import { DEFAULT_BACKEND, OWN_ADAPTER_DEFAULTS } from './names.ts'
import type { AdapterSettings } from './settings.ts'

export const DEFAULT_ADAPTER: AdapterSettings = { timeoutSeconds: 900, enabled: true }

/**
 * The settings that count for the backend `name`: its own entry, else for most backends that of the default one.
 * Price and script are never borrowed.
 */
export function adapterFor(
  adapters: Readonly<Record<string, AdapterSettings>>,
  name: string,
): AdapterSettings {
  const own = entryOf(adapters, name)
  if (own !== undefined) return own
  const borrowed = OWN_ADAPTER_DEFAULTS.includes(name) ? undefined : entryOf(adapters, DEFAULT_BACKEND)
  if (borrowed === undefined) return DEFAULT_ADAPTER
  return { timeoutSeconds: borrowed.timeoutSeconds, enabled: borrowed.enabled }
}

function entryOf(
  adapters: Readonly<Record<string, AdapterSettings>>,
  name: string,
): AdapterSettings | undefined {
  return Object.hasOwn(adapters, name) ? adapters[name] : undefined
}

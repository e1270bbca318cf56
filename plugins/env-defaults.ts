/** Variables to set for an agent. What the user has set already stays. */
export function envDefaults(
  env: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => env[name] === undefined))
}

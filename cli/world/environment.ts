import { delimiter } from 'node:path'
import type { EnvPolicy } from '../../core/config/settings.ts'
import { RalphError } from '../../core/errors.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Never handed to an agent: an outer run's own, and what turns this binary into another program. */
const WITHHELD = /^(RALPH_WAVE_.*|RALPH_EVENTS_FILE|BUN_OPTIONS|BUN_BE_BUN)$/

/** The environment of every agent of a run (contract/loop §14.3), before what belongs to one agent. */
export function agentEnvironment(
  env: Env,
  of: { binDir: string; executable: string; workspace: string; runId: string; depth: number },
): Record<string, string> {
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !WITHHELD.test(entry[0]),
  )
  return {
    ...Object.fromEntries(inherited),
    PATH: [of.binDir, ...(env.PATH ? [env.PATH] : [])].join(delimiter),
    RALPH_BIN: of.executable,
    RALPH_WORKSPACE_ROOT: of.workspace,
    RALPH_RUN_ID: of.runId,
    RALPH_DEPTH: String(of.depth),
  }
}

/** What `env: filtered` leaves of an agent's environment: what programs need in general, and these. */
export function filterEnvironment(
  env: Readonly<Record<string, string>>,
  policy: EnvPolicy,
  ofBackend: readonly string[],
): Readonly<Record<string, string>> {
  if (policy === 'inherit') return env
  const kept = [...ORDINARY, ...ofBackend, ...policy.allow]
  return Object.fromEntries(Object.entries(env).filter(([name]) => kept.some((one) => isMeant(one, name))))
}

/** Where things are and how to show them; how to reach the net; what ralph sets itself. */
const ORDINARY = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TERM',
  'TZ',
  'TMPDIR',
  'XDG_*',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'RALPH_*',
] as const

function isMeant(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** Level of this run's agents: 1 for a run that no agent started. Throws `too_deep` above `features.max_depth`. */
export function nextDepth(env: Env, maxDepth: number): number {
  const outer = /^\d{1,6}$/.test(env.RALPH_DEPTH ?? '') ? Number(env.RALPH_DEPTH) : 0
  const depth = outer + 1
  if (depth > maxDepth) {
    throw new RalphError(
      'too_deep',
      `this run would be level ${depth} of runs inside runs, and features.max_depth is ${maxDepth}`,
      {
        hint: 'raise features.max_depth, or let the outer run do this work',
      },
    )
  }
  return depth
}

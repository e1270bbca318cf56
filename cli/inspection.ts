import type { Backend, Detection, Look } from '../core/backend/contract.ts'
import { createLook } from '../core/backend/look.ts'
import type { BackendEntry, Registry } from '../core/backend/registry.ts'
import { homeOf } from '../core/config/home.ts'
import type { RalphError } from '../core/errors.ts'
import type { Result } from '../core/result.ts'
import { createInside } from './trust/inside.ts'

/** A backend as this machine knows it; or what is wrong with its plugin. */
export type Inspected = { readonly entry: BackendEntry } & Result<
  { readonly backend: Backend; readonly detection: Detection },
  RalphError
>

/** Loads every backend, one after the other, and looks for its program. A broken plugin is a remark, not an error. */
export async function inspectBackends(registry: Registry, look: Look): Promise<readonly Inspected[]> {
  const found: Promise<Inspected>[] = []
  for (const entry of registry.entries()) {
    const loaded = await registry.load(entry.name)
    found.push(loaded.ok ? inspect(entry, loaded.value, look) : Promise.resolve({ entry, ...loaded }))
  }
  return Promise.all(found)
}

async function inspect(entry: BackendEntry, backend: Backend, look: Look): Promise<Inspected> {
  return { entry, ok: true, value: { backend, detection: await backend.detect(look) } }
}

/**
 * The machine, for a command that must execute nothing of a workspace that nobody has spoken for: programs that lie there
 * are not started, whatever leads to them.
 */
export function cautiousLook(env: Readonly<Record<string, string | undefined>>, cwd: string): Look {
  const home = homeOf(env)
  const isInside = createInside(cwd, home)
  // Somebody's home is no workspace that came from elsewhere.
  const isOwn = env.RALPH_TRUST === '1' || (home !== null && isInside(home))
  const uid = process.getuid?.() ?? 0
  return createLook({ env, uid, ...(isOwn ? {} : { isForeign: isInside }) })
}

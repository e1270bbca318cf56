import type { Backend, Look } from '../core/backend/contract.ts'
import { createLook } from '../core/backend/look.ts'
import type { BackendEntry, Registry } from '../core/backend/registry.ts'
import type { RalphError } from '../core/errors.ts'

/** What a machine knows of one backend. */
export interface Inspected {
  readonly name: string
  readonly source: 'builtin' | 'file'
  readonly path: string | null
  readonly summary: string
  readonly program: string | null
  readonly found: boolean
  readonly version: string | null
  readonly verified: boolean
  /** What is wrong with it, each with what to do. */
  readonly remarks: readonly string[]
}

/** Loads every backend, one after the other, and looks for its program. A broken plugin is a remark, not an error. */
export async function inspectBackends(
  registry: Registry,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Inspected[]> {
  const look = createLook({ env, uid: process.getuid?.() ?? 0 })
  const found: Promise<Inspected>[] = []
  for (const entry of registry.entries()) {
    const loaded = await registry.load(entry.name)
    found.push(loaded.ok ? inspect(entry, loaded.value, look) : Promise.resolve(broken(entry, loaded.error)))
  }
  return Promise.all(found)
}

async function inspect(entry: BackendEntry, backend: Backend, look: Look): Promise<Inspected> {
  const seen = await backend.detect(look)
  return {
    name: entry.name,
    source: entry.source,
    path: entry.path ?? null,
    summary: backend.summary,
    program: seen.program,
    found: seen.found,
    version: seen.version ?? null,
    verified: backend.traits.verified,
    remarks: seen.problems.map(({ message, hint }) => `${message} (${hint})`),
  }
}

function broken(entry: BackendEntry, error: RalphError): Inspected {
  return {
    name: entry.name,
    source: entry.source,
    path: entry.path ?? null,
    summary: '',
    program: null,
    found: false,
    version: null,
    verified: false,
    remarks: [error.message],
  }
}

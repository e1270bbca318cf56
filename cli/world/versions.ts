import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createLook } from '../../core/backend/look.ts'
import { versionIn } from '../../core/backend/versions.ts'
import { homeOf } from '../../core/config/home.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import type { Cast, Part } from '../cast.ts'
import { type EndSignal, listenForSignals } from '../signals.ts'
import { createInside } from '../trust/inside.ts'

export interface VersionsRequest {
  readonly cast: Cast
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workspace: string
  /** The run's own folder: where the programs are asked. */
  readonly runDir: string
  /** Milliseconds that a run waits for its programs; 1000 by default. */
  readonly waitMs?: number
}

/** Text of a version, by backend; null: not known. */
export type Versions = Readonly<Record<string, string | null>>

/**
 * The versions of the programs that play. Each program is asked once: its answer is kept in the state folder until its
 * file changes. What has not answered in time is null, and is there for the next run. Asked are only programs that a
 * plugin names, as it names them, outside of the workspace: who configures another program, or puts one in front of it,
 * has not said that it knows `--version`.
 */
export async function lookUpVersions(request: VersionsRequest): Promise<Versions> {
  const { cast, waitMs = 1000 } = request
  const late = new AbortController()
  process.once('exit', () => late.abort())
  // Nobody listens yet: the signal does what it does to any program, once those that are asked have been ended.
  const stop = (signal: EndSignal): void => {
    late.abort()
    listening[Symbol.dispose]()
    process.kill(process.pid, signal)
  }
  using listening = listenForSignals({ end: stop, force: stop })
  const store = openStore(request.env)
  const found = new Map<string, string | null>()
  const asked = [...programsOf(cast)].map(async ([backend, program]) => {
    found.set(backend, null)
    if (program !== null) found.set(backend, await ask(program, request, store, late.signal))
  })
  await Promise.race([Promise.all(asked), Bun.sleep(waitMs)])
  return Object.fromEntries(found)
}

/** By backend; null: not to be asked. */
function programsOf({ parts }: Cast): ReadonlyMap<string, string | null> {
  const programs = new Map<string, string | null>()
  for (const part of parts.values()) {
    const known = programs.get(part.backend.name) ?? null
    programs.set(part.backend.name, known ?? programOf(part))
  }
  return programs
}

function programOf({ backend, options, wrap }: Part): string | null {
  return options.command === undefined && wrap === undefined ? (backend.program ?? null) : null
}

async function ask(
  program: string,
  { env, workspace, runDir }: VersionsRequest,
  store: Store,
  signal: AbortSignal,
): Promise<string | null> {
  const isForeign = createInside(workspace, homeOf(env))
  const look = createLook({ env, uid: process.getuid?.() ?? 0, isForeign, cwd: runDir, signal })
  const path = look.which(program)
  const file = path === null ? null : identify(path)
  if (path === null || file === null) return null
  const kept = store.get(file)
  if (kept !== null) return kept
  const { exitCode, stdout } = await look.run(path, ['--version'])
  const line = stdout.trim().split('\n', 1)[0]?.slice(0, MAX_TEXT) ?? ''
  if (exitCode !== 0 || versionIn(line) === null) return null
  store.keep(file, line)
  return line
}

/** Longer ones are no versions. */
const MAX_TEXT = 200

/** A file as it is now: another one, or the same with other content, is another identity. */
type FileIdentity = string

function identify(path: string): FileIdentity | null {
  try {
    const real = realpathSync(path)
    const { ino, size, mtimeMs } = statSync(real)
    return [real, ino, size, mtimeMs].join(' ')
  } catch {
    return null
  }
}

interface Store {
  get(file: FileIdentity): string | null
  keep(file: FileIdentity, version: string): void
}

/** The newest ones; programs are updated now and then, and their old files are of no use. */
const MAX_KEPT = 50

/** What is kept only saves time: what cannot be read or written is as if it were not there. */
function openStore(env: VersionsRequest['env']): Store {
  const state = stateFolder(env)
  const path = state === null ? null : join(resolve(state), 'versions.json')
  return {
    get: (file) => readKept(path).find(([key]) => key === file)?.[1] ?? null,
    keep(file, version) {
      if (path === null) return
      const others = readKept(path).filter(([key]) => key !== file)
      const kept = [...others, [file, version]].slice(-MAX_KEPT)
      try {
        mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
        const fresh = `${path}.${process.pid}`
        writeFileSync(fresh, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
        renameSync(fresh, path)
      } catch {}
    },
  }
}

function readKept(path: string | null): readonly (readonly [FileIdentity, string])[] {
  if (path === null) return []
  try {
    const rows: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(rows) ? rows.filter(isRow) : []
  } catch {
    return []
  }
}

function isRow(row: unknown): row is readonly [FileIdentity, string] {
  return Array.isArray(row) && row.length === 2 && row.every((part) => typeof part === 'string')
}

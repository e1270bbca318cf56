import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf, RalphError } from '../../core/errors.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import type { Manifest } from '../../core/journal/journal.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import { readManifest } from '../../core/journal/read.ts'
import { readRunHolder } from './run-hold.ts'
import { indexedRuns } from './run-index.ts'

/** A run's folder, as it lies on disk. */
export interface KnownRun {
  readonly id: string
  /** Absolute; never a link. */
  readonly dir: string
  /** Null where not even that can be told any more. */
  readonly workspace: string | null
  /** Null for a run whose journal cannot be read. */
  readonly manifest: Manifest | null
  /** Why its journal cannot be read. */
  readonly problem: string | null
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** Every run in the state folder, and those that had to be kept in this workspace. In no order. */
export function findAllRuns(place: Place): readonly KnownRun[] {
  const attribute = createAttribution(place)
  const own = join(place.cwd, RALPH_DIR, 'runs')
  const seen = new Set<string>()
  return runHomes(place).flatMap((home) =>
    names(home).flatMap((id) => {
      const dir = join(home, id)
      if (!RUN_ID.test(id) || !isFolder(dir) || seen.has(id)) return []
      seen.add(id)
      const run = lookAt(id, dir, attribute)
      // What lies in a workspace speaks for no other one.
      return [home === own ? { ...run, workspace: place.cwd } : run]
    }),
  )
}

/** True for a run of this workspace, loop or wave from the shell. */
export function isOfWorkspace(run: Pick<KnownRun, 'workspace'>, cwd: string): boolean {
  return run.workspace !== null && (run.workspace === cwd || realPath(run.workspace) === realPath(cwd))
}

/** Throws `run_elsewhere`: a run's lock, its agents and what its items speak of are in its own workspace. */
export function checkWorkspace({ id, workspace }: Pick<KnownRun, 'id' | 'workspace'>, cwd: string): void {
  if (workspace === null || isOfWorkspace({ workspace }, cwd)) return
  throw new RalphError('run_elsewhere', `the run ${id} belongs to the folder ${workspace}`, {
    hint: existsSync(workspace)
      ? 'go on with it there'
      : 'that folder is there no more: where it was moved, a link in its old place leads there',
  })
}

/** The folders that hold runs: the state folder's, and the workspace's own if it is no link. */
export function runHomes({ env, cwd }: Place): readonly string[] {
  const state = stateFolder(env)
  const own = [join(cwd, RALPH_DIR), join(cwd, RALPH_DIR, 'runs')]
  return [
    ...(state === null ? [] : [join(resolve(state), 'runs')]),
    ...(own.every(isFolder) ? own.slice(1) : []),
  ]
}

/** What a run's id looks like; a name with a dot in front is a run that is being removed. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

function lookAt(id: string, dir: string, attribute: (id: string, dir: string) => string | null): KnownRun {
  const path = join(dir, 'journal.jsonl')
  try {
    // What lies in a workspace may be a pipe that nobody writes to.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new Error(`${path}: no regular file`)
    const manifest = readManifest(path)
    if (manifest.runId !== id)
      throw new Error(`${path}: this is the journal of another run, ${manifest.runId}`)
    return { id, dir, workspace: manifest.workspace, manifest, problem: null }
  } catch (error) {
    return { id, dir, workspace: attribute(id, dir), manifest: null, problem: messageOf(error) }
  }
}

/** Whose a run is that cannot tell it itself: by its lock file, by the index, or since it lies here. */
function createAttribution({ env, cwd }: Place): (id: string, dir: string) => string | null {
  const own = join(cwd, RALPH_DIR, 'runs')
  const here = new Set([...indexedRuns(env, cwd), ...names(own)])
  return (id, dir) => readRunHolder(dir)?.workspace ?? (here.has(id) ? cwd : null)
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function names(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

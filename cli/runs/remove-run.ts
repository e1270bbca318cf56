import { lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { MARKER, RALPH_DIR } from '../../core/events-file/target.ts'
import { readJournal } from '../../core/journal/read.ts'
import { foldJournal } from '../../core/run/fold.ts'
import { currentRun } from '../world/find-run.ts'
import type { KnownRun } from '../world/known-runs.ts'
import { describeHolder, holdRun, isHeld, runHeld } from '../world/run-hold.ts'
import { unindexRun } from '../world/run-index.ts'
import { endSurvivors } from '../world/survivors.ts'
import { RUN_MARKER, readRunMarker } from '../world/workspace.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Removes a run: its folder, and in its workspace the link, the events file, and the markers that name it. What a crashed run
 * has left running is ended first, since afterwards nobody could. Throws `run_held` for a run in progress, and `run_removed`
 * where somebody else was faster.
 */
export async function removeRun(run: KnownRun, env: Env): Promise<void> {
  const holder = describeHolder({ started: new Date(), prompt: 'removes it', run: run.id })
  using _hold = await holdRun(run.dir, holder)
  await endLeftovers(run)
  removeFolder(run.dir)
  if (run.workspace !== null) removeTraces(run, run.workspace, env)
}

/** The same for a run of a list that was made a while ago. False if somebody works on it by now. */
export async function removeIfFree(run: KnownRun, env: Env): Promise<boolean> {
  try {
    await removeRun(run, env)
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    if (error.code === 'run_held') return false
    if (error.code !== 'run_removed') throw error
  }
  return true
}

/** Throws `run_held` for a run in progress. */
export function checkFree({ id, dir }: KnownRun): void {
  if (isHeld(dir)) throw runHeld(dir, id)
}

/** Ends what agents of a run have left running; only one that ended without a word can have left something. */
async function endLeftovers({ dir, problem }: KnownRun): Promise<void> {
  if (problem !== null) return
  try {
    const state = foldJournal(readJournal(join(dir, 'journal.jsonl')), { dir })
    if (state.ended === null) await endSurvivors(state)
  } catch {
    // A damaged journal names no agents.
  }
}

/** It goes under its name in one step: what is cut here is no run any more, and the next removal takes the rest. */
function removeFolder(dir: string): void {
  const home = dirname(dir)
  for (const name of readdirSync(home)) {
    if (name.startsWith(REMOVED)) rmSync(join(home, name), { recursive: true, force: true })
  }
  const going = join(home, `${REMOVED}${dir.slice(home.length + 1)}`)
  renameSync(dir, going)
  rmSync(going, { recursive: true, force: true })
}

const REMOVED = '.removed-'

function removeTraces({ id, manifest }: KnownRun, workspace: string, env: Env): void {
  const wasCurrent = currentRun(env, workspace) === id
  unindexRun(env, workspace, { id, wasCurrent })
  // Behind a link lies what is not ours.
  if (!isFolder(join(workspace, RALPH_DIR))) return
  const link = join(workspace, RALPH_DIR, 'runs', id)
  if (isFolder(dirname(link)) && lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link)
  const name = eventsName(manifest?.eventsFile ?? '', workspace)
  if (name !== null) {
    rmSync(join(workspace, name), { force: true })
    if (readLine(join(workspace, MARKER)) === name) rmSync(join(workspace, MARKER), { force: true })
  }
  if (readRunMarker(workspace) === id) rmSync(join(workspace, RUN_MARKER), { force: true })
}

/** The run's events file as the marker names it; null for what is no file in the workspace's `.ralph/`. */
function eventsName(path: string, workspace: string): string | null {
  const prefix = join(workspace, RALPH_DIR)
  const name = path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : ''
  if (!/^events-[\w.-]+\.jsonl$/.test(name)) return null
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? join(RALPH_DIR, name) : null
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function readLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { createJournal } from '../../core/journal/journal.ts'
import { readJournal } from '../../core/journal/read.ts'
import { createState } from '../../core/run/create.ts'
import { foldJournal } from '../../core/run/fold.ts'
import type { RunInfo, State } from '../../core/run/state.ts'
import { createTopology } from '../../core/topology.ts'
import type { Beginning } from './beginning.ts'
import { createBlobStore } from './blobs.ts'
import { currentRun, findRunFolder } from './find-run.ts'
import { createManifest } from './manifest.ts'
import type { LoopRequest } from './request.ts'
import { rulesFor } from './rules.ts'
import { createRunFolder, formatStamp } from './run-folder.ts'
import { describeHolder, holdRun } from './run-hold.ts'
import { indexRun } from './run-index.ts'
import { scratchpadPaths } from './scratchpad.ts'
import { endSurvivors } from './survivors.ts'
import { createEventsFile, moveScratchpads, writeMarkers } from './workspace.ts'

/** Begins a new run: its folder, its events file, its journal. What the last run left behind is ended, named and moved aside. */
export async function beginFresh(request: LoopRequest, started: Date): Promise<Beginning> {
  const { settings, cast, env, cwd } = request
  const stamp = formatStamp(started)
  const named = currentRun(env, cwd)
  // A marker may outlive the run that it names.
  const earlier = named === null || findRunFolder(env, cwd, named) === null ? null : named
  const warnings = earlier === null ? [] : await leaveBehind(request, earlier)

  const folder = createRunFolder({ kind: 'primary', stamp, workspace: cwd, env })
  const objective = request.objective.text
  const hold = await holdRun(
    folder.dir,
    describeHolder({ started, workspace: cwd, prompt: objective, run: folder.id }),
  )
  if (folder.warning !== undefined) warnings.push(folder.warning)
  const run: RunInfo = {
    id: folder.id,
    workspace: cwd,
    dir: folder.dir,
    eventsFile: createEventsFile(cwd, stamp),
    pid: process.pid,
    startedAt: started.getTime(),
    startedMono: performance.now(),
  }
  const pads = join(cwd, RALPH_DIR, 'runs', earlier ?? run.id, 'scratchpads')
  warnings.push(...moveScratchpads(cwd, scratchpadPaths(settings), pads))
  writeMarkers(cwd, { eventsFile: run.eventsFile, runId: run.id })
  // A run that had to be kept in the workspace is found there.
  if (folder.warning === undefined) indexRun(env, cwd, run.id)

  const rules = rulesFor(settings, cast)
  const state = createState({ run, rules, topology: createTopology(settings.hats), loop: true })
  const blobs = createBlobStore(run.dir)
  const manifest = await createManifest({
    run,
    mode: 'loop',
    settings,
    cast,
    env,
    files: request.files,
    backends: rules.backends,
  })
  const topic = settings.eventLoop.startingEvent ?? 'task.start'
  return {
    state,
    journal: createJournal(join(run.dir, 'journal.jsonl'), manifest),
    blobs,
    first: [{ type: 'loop.opened', objective: blobs.store(objective), topic, continued: false }],
    objective,
    topic,
    continued: false,
    readFrom: 0,
    warnings,
    hold,
  }
}

/** Ends what a crashed run left running, and says what it left open. A run that cannot be read is no reason not to begin. */
async function leaveBehind({ env, cwd }: LoopRequest, runId: string): Promise<string[]> {
  const dir = findRunFolder(env, cwd, runId)
  if (dir === null) return []
  let state: State
  try {
    state = foldJournal(readJournal(join(dir, 'journal.jsonl')), { dir })
  } catch (error) {
    return [`the last run (${runId}) cannot be read: ${messageOf(error)}`]
  }
  if (state.ended === null) await endSurvivors(state)
  return [...state.waves.values()].map(
    (wave) =>
      `the last run has an open wave (${wave.id}: ${wave.settled} of ${wave.works.length} settled); ` +
      `ralph run --continue --loop-id ${runId} goes on with it`,
  )
}

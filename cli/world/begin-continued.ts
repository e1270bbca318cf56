import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { EventsReader } from '../../core/events-file/reader.ts'
import { workerFile } from '../../core/events-file/rules.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { reopenJournal } from '../../core/journal/journal.ts'
import { itemFolder } from '../../core/journal/paths.ts'
import { readJournal } from '../../core/journal/read.ts'
import type { FactBody } from '../../core/run/fact.ts'
import { foldJournal } from '../../core/run/fold.ts'
import type { State } from '../../core/run/state.ts'
import type { Work } from '../../core/wave/wave.ts'
import type { Beginning } from './beginning.ts'
import { type BlobStore, createBlobStore } from './blobs.ts'
import { currentRun, findRunFolder, noEarlierRun } from './find-run.ts'
import type { LoopRequest } from './request.ts'
import { rulesFor } from './rules.ts'
import { linkRun } from './run-folder.ts'
import { scratchpadPaths } from './scratchpad.ts'
import { endSurvivors } from './survivors.ts'
import { exchangeScratchpads, readRunMarker, writeMarkers } from './workspace.ts'

/**
 * Goes on with an earlier run: its journal is folded back, survivors of its processes are ended, and what cut workers had
 * written is taken up. Throws `no_run`, `run_finished`, or what the journal's reader throws.
 */
export async function beginContinued(request: LoopRequest, started: Date): Promise<Beginning> {
  const { settings, cast, env, cwd } = request
  const runId = currentRun(env, cwd, request.flags.loopId)
  const dir = runId === null ? null : findRunFolder(env, cwd, runId)
  if (runId === null || dir === null) throw noEarlierRun(request.flags.loopId)

  const path = join(dir, 'journal.jsonl')
  const content = readJournal(path)
  if (content.manifest.mode !== 'loop') throw noEarlierRun(runId)
  const run = { pid: process.pid, startedAt: started.getTime(), startedMono: performance.now() }
  const state = foldJournal(content, { dir, run })
  const isNew = request.objective.source !== 'kept'
  if (!isNew && (state.ended === 'completed' || state.ended === 'cancelled')) throw finished(state)

  await endSurvivors(state)
  const blobs = createBlobStore(dir)
  const kept = state.loop?.objective ?? { inline: '' }
  const objective = isNew ? request.objective.text : blobs.read(kept)
  const link = join(cwd, RALPH_DIR, 'runs', runId)
  if (dir !== link) linkRun(link, dir)
  exchangeScratchpads(cwd, { paths: scratchpadPaths(settings), from: readRunMarker(cwd), to: runId })
  writeMarkers(cwd, { eventsFile: state.run.eventsFile, runId })
  return {
    state,
    journal: reopenJournal(path, content.isTorn),
    blobs,
    first: [
      ...unreadLines(state, blobs),
      {
        type: 'loop.resumed',
        objective: isNew ? blobs.store(objective) : null,
        filed: filedItems(state),
        totalLimits: request.flags.totalLimits,
        config: { rules: rulesFor(settings, cast), hats: settings.hats },
      },
    ],
    objective,
    topic: 'task.resume',
    continued: true,
    warnings: content.badLines.map((line) => `${path}:${line}: this record cannot be read and is left out`),
  }
}

/** What cut workers had written, and nobody had read, when the run was cut. */
function unreadLines(state: State, blobs: BlobStore): readonly FactBody[] {
  return openWorks(state).flatMap((work): readonly FactBody[] => {
    if (work.wave === null || work.agent === 0) return []
    const path = workerFile(dirname(state.run.eventsFile), work.wave, work.index)
    if (!existsSync(path)) return []
    using reader = new EventsReader(path)
    const { events, bad } = reader.read({ closeLine: true })
    const knownBad = work.bad.length
    const knownEvents = work.linesRead - knownBad
    if (events.length <= knownEvents && bad.length <= knownBad) return []
    const fresh = events
      .slice(knownEvents)
      .map((event) => ({ ...event, payload: blobs.store(event.payload) }))
    return [{ type: 'worker.read', n: work.agent, events: fresh, bad: bad.slice(knownBad) }]
  })
}

function openWorks(state: State): readonly Work[] {
  return [...state.waves.values()].flatMap((wave) => wave.works.filter((work) => work.status !== 'settled'))
}

/** Settled items whose outcome is on disk. */
function filedItems(state: State): readonly string[] {
  return [...state.waves.values()].flatMap((wave) =>
    wave.works
      .filter((work) => work.status === 'settled')
      .filter((work) => existsSync(join(itemFolder(state.run.dir, wave.id, work.index), 'outcome.json')))
      .map((work) => work.id),
  )
}

function finished(state: State): RalphError {
  return new RalphError('run_finished', `the run ${state.run.id} is finished: it ended ${state.ended}`, {
    hint: 'give it a new objective with -p or -P to go on, or start a fresh run',
  })
}

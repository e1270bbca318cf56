import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/errors.ts'
import { formatWaveId } from '../../core/events-file/record.ts'
import { RALPH_DIR } from '../../core/events-file/target.ts'
import { type Manifest, reopenJournal } from '../../core/journal/journal.ts'
import { itemFolder } from '../../core/journal/paths.ts'
import { readJournal, readManifest } from '../../core/journal/read.ts'
import { foldJournal } from '../../core/run/fold.ts'
import { redrivenFact } from '../../core/run/redriven.ts'
import type { State } from '../../core/run/state.ts'
import { collectSecrets } from '../../core/secrets.ts'
import { createTopology } from '../../core/topology.ts'
import type { Wave, WaveId } from '../../core/wave/wave.ts'
import type { Beginning } from './beginning.ts'
import { createBlobStore } from './blobs.ts'
import { filedOutcomes, foundResults, lostWaves } from './filed-outcomes.ts'
import { currentRun, findRunFolder, noEarlierRun } from './find-run.ts'
import { checkWorkspace } from './known-runs.ts'
import { pickRun } from './pick-run.ts'
import type { LoopRequest } from './request.ts'
import { rulesFor } from './rules.ts'
import { linkRun } from './run-folder.ts'
import { describeHolder, holdRun } from './run-hold.ts'
import { scratchpadPaths } from './scratchpad.ts'
import { endSurvivors } from './survivors.ts'
import { unreadLines, unreadMain } from './unread-lines.ts'
import { exchangeScratchpads, readRunMarker, writeMarkers } from './workspace.ts'

/**
 * Goes on with an earlier run: its journal is folded back, survivors of its processes are ended, and what cut workers had
 * written is taken up. Throws `no_run`, `run_ambiguous`, `run_is_wave`, `run_elsewhere`, `run_held`, `run_finished`, or what the
 * journal's reader throws. With `redrive` a part of a merged wave runs again: throws as `redrivenFact` does, null if none is to.
 */
export async function beginContinued(request: LoopRequest, started: Date): Promise<Beginning | null> {
  const { settings, cast, cwd } = request
  const { runId, dir } = findEarlier(request)
  const path = join(dir, 'journal.jsonl')
  checkPlace(readManifest(path), cwd)
  const hold = await holdRun(
    dir,
    describeHolder({ started, workspace: cwd, prompt: request.objective.text, run: runId }),
  )
  const content = readJournal(path)
  const run = { pid: process.pid, startedAt: started.getTime(), startedMono: performance.now() }
  const merged = new Map<WaveId, Wave>()
  const state = foldJournal(content, { dir, run, watch: (now) => keepMerged(now, merged) })
  const isNew = request.objective.source !== 'kept'
  const again = redriven(request, state, merged)
  if (request.redrive !== undefined && again === null) {
    hold[Symbol.dispose]()
    return null
  }
  if (again === null && !isNew && (state.ended === 'completed' || state.ended === 'cancelled'))
    throw finished(state)

  await endSurvivors(state)
  const blobs = createBlobStore(dir)
  const secrets = collectSecrets(request.env)
  const rest = unreadMain(state, { blobs, secrets })
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
      ...unreadLines(state, dirname(state.run.eventsFile), { blobs, secrets }),
      ...filedOutcomes(state, blobs),
      ...(rest.events.length + rest.bad.length > 0 ? [rest] : []),
      {
        type: 'loop.resumed',
        objective: isNew ? blobs.store(objective) : null,
        filed: filedItems(state),
        totalLimits: request.flags.totalLimits,
        found: foundResults(state, blobs),
        lost: lostWaves(state),
        config: { rules: rulesFor(settings, cast), hats: settings.hats },
      },
      ...(again === null ? [] : [again.fact]),
    ],
    objective,
    topic: 'task.resume',
    continued: true,
    readFrom: rest.offset,
    warnings: [
      ...content.badLines.map((line) => `${path}:${line}: this record cannot be read and is left out`),
      ...(again?.warnings ?? []),
    ],
    hold,
  }
}

/** The part of a wave that is to run again, if somebody asked for one; null if none is to. */
function redriven(
  { redrive: wish, settings, cast }: LoopRequest,
  state: State,
  merged: ReadonlyMap<WaveId, Wave>,
): ReturnType<typeof redrivenFact> {
  if (wish === undefined) return null
  const id = formatWaveId(BigInt(Date.now()) * 1_000_000n, process.pid, 0)
  const topology = createTopology(settings.hats)
  return redrivenFact({ wish, id, state, merged, rules: rulesFor(settings, cast), topology })
}

function keepMerged(state: State, merged: Map<WaveId, Wave>): void {
  for (const wave of state.merged.values()) merged.set(wave.id, wave)
}

/** The run that is meant. Throws `no_run`, or `run_ambiguous`. */
function findEarlier({ env, cwd, flags }: LoopRequest): { readonly runId: string; readonly dir: string } {
  const { loopId } = flags
  const runId = loopId ?? currentRun(env, cwd)
  const dir = runId === null ? null : findRunFolder(env, cwd, runId)
  if (runId !== null && dir !== null) return { runId, dir }
  if (loopId === undefined) throw noEarlierRun(env, cwd)
  const picked = pickRun({ env, cwd }, loopId)
  return { runId: picked.id, dir: picked.dir }
}

/** Throws `run_is_wave`, or `run_elsewhere`. */
function checkPlace({ runId, mode, workspace }: Manifest, cwd: string): void {
  if (mode !== 'loop') {
    throw new RalphError('run_is_wave', `${runId} is a wave from the shell, no loop`, {
      hint: `\`ralph wave run --resume ${runId}\` with the same items goes on with it`,
    })
  }
  checkWorkspace({ id: runId, workspace }, cwd)
}

/** Items whose outcome is on disk, those among them of which the journal does not know. */
function filedItems(state: State): readonly string[] {
  return [...state.waves.values()].flatMap((wave) =>
    wave.works
      .filter((work) => existsSync(join(itemFolder(state.run.dir, wave.id, work.index), 'outcome.json')))
      .map((work) => work.id),
  )
}

function finished(state: State): RalphError {
  return new RalphError('run_finished', `the run ${state.run.id} is finished: it ended ${state.ended}`, {
    hint: 'give it a new objective with -p or -P to go on, or start a fresh run',
  })
}

import { RalphError } from '../core/errors.ts'
import { playerOf } from '../core/run/backends.ts'
import { tellChanged } from '../core/run/redriven.ts'
import { digestInstructions } from '../core/wave/item-key.ts'
import { redriveItems, type Selection } from '../core/wave/redrive.ts'
import type { Wave } from '../core/wave/wave.ts'
import type { Cast } from './cast.ts'
import { parseCount } from './count.ts'
import type { RedriveFlags, WaveOfRun } from './redrive.ts'
import { castShell, openShellSession, playShellWave, type ShellSession } from './shell-session.ts'
import { type EarlierWave, takeUp } from './world/earlier-wave.ts'
import { isOfWorkspace } from './world/known-runs.ts'
import type { ShellItem } from './world/open-shell-wave.ts'
import { rulesFor } from './world/rules.ts'

export interface ShellRedrive {
  readonly flags: RedriveFlags
  readonly rest: readonly string[]
  readonly selection: Selection
  readonly found: WaveOfRun
}

/** Parts of a wave of `ralph wave run` run again, in a run of their own, with the settings of then where no flag says else. */
export async function redriveShellWave(request: ShellRedrive): Promise<number> {
  const { flags, rest, selection, found } = request
  const { config, workspace, backends } = found.manifest
  if (!isOfWorkspace({ workspace }, process.cwd())) {
    throw new RalphError('run_elsewhere', `wave ${found.wave} belongs to the folder ${workspace}`, {
      hint: 'run it again there',
    })
  }
  const jobs = parseCount('jobs', flags.jobs, 1) ?? config.features.maxConcurrency
  const timeout = parseCount('timeout', flags.timeout, 1)
  const before = { backend: backends['']?.name, model: config.cli.model }
  const { backend, model } = flags.backend === undefined ? { ...before, ...ownModel(flags.model) } : flags
  const access = flags.access ?? config.cli.access
  const session = await openShellSession({ ...flags, backend, model, access }, jobs)
  const cast = await castShell(session, rest)
  const earlier = await takeUp({ id: found.runId, dir: found.dir }, session)
  using _hold = earlier.hold
  const wave = earlier.state.waves.get(found.wave)
  if (wave === undefined) throw lostWave(found)
  const items = choose(session, cast, { earlier, wave, selection })
  if (items === null) {
    session.log.info('Nothing is to run again: every item has its result, and asks the same as before.')
    return 0
  }
  return await playShellWave(session, {
    cast,
    items,
    template: wave.shell?.template ?? null,
    timeoutSeconds: timeout ?? wave.timeouts[''] ?? 300,
    redriveOf: wave.id,
    format: flags.json ? 'jsonl' : 'text',
  })
}

/** Only its folder is left. */
function lostWave({ wave, runId }: WaveOfRun): RalphError {
  return new RalphError('wave_lost', `the journal of ${runId} has lost its end, and wave ${wave} with it`, {
    hint: `\`ralph wave run --resume ${runId}\` with the same items takes over the results that are there`,
  })
}

function ownModel(model: string | undefined): { readonly model?: string } {
  return model === undefined ? {} : { model }
}

/** All items, those that do not run with what came of them; null if none runs. */
function choose(
  session: ShellSession,
  cast: Cast,
  of: { readonly earlier: EarlierWave; readonly wave: Wave; readonly selection: Selection },
): readonly ShellItem[] | null {
  const { earlier, wave, selection } = of
  const facts = rulesFor(session.settings, cast).backends['']
  const player = facts === undefined ? null : playerOf(facts)
  const instructions = digestInstructions(wave.shell?.template ?? null)
  const chosen = redriveItems({
    run: earlier.runId,
    wave,
    selection,
    now: ({ hat, payload }) => (player === null ? null : { hat, payload, player, instructions }),
  })
  if (!chosen.ok) throw chosen.error
  const { items, runs, changed } = chosen.value
  if (runs === 0) return null
  for (const warning of tellChanged(changed)) session.log.warn(warning)
  session.log.info(`${runs} of ${items.length} items of ${wave.id} run again.`)
  return items.map(({ event, adopted }) => ({
    payload: earlier.blobs.read(event.payload),
    ...(adopted === undefined ? {} : { adopted }),
  }))
}

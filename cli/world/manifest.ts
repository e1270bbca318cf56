import type { Loaded } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import type { Manifest } from '../../core/journal/journal.ts'
import type { RunInfo } from '../../core/run/state.ts'
import { collectSecrets, redactDeep } from '../../core/secrets.ts'
import { VERSION } from '../version.ts'
import { lookAtGit } from './git.ts'

/** The first record of a run's journal. */
export async function createManifest(of: {
  run: RunInfo
  mode: Manifest['mode']
  settings: Settings
  files: Loaded['files']
  backends: Manifest['backends']
}): Promise<Manifest> {
  const git = await lookAtGit(of.run.workspace)
  return {
    runId: of.run.id,
    mode: of.mode,
    workspace: of.run.workspace,
    eventsFile: of.run.eventsFile,
    startedAt: of.run.startedAt,
    ralph: VERSION,
    platform: `${process.platform}-${process.arch}`,
    configFiles: of.files,
    config: redactDeep(of.settings, collectSecrets(process.env)),
    backends: of.backends,
    git: git === null ? null : { head: git.head.trim() || null, dirty: git.files.size > 0 },
  }
}

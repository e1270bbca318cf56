import type { Loaded } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import type { Manifest } from '../../core/journal/journal.ts'
import type { RunInfo } from '../../core/run/state.ts'
import { collectSecrets, redactDeep } from '../../core/secrets.ts'
import type { Cast } from '../cast.ts'
import { VERSION } from '../version.ts'
import { lookAtGit } from './git.ts'
import { lookUpVersions } from './versions.ts'

/** The first record of a run's journal. Asks Git and the programs that play, and waits for neither for long. */
export async function createManifest(of: {
  run: RunInfo
  mode: Manifest['mode']
  settings: Settings
  cast: Cast
  env: Readonly<Record<string, string | undefined>>
  files: Loaded['files']
  backends: Manifest['backends']
}): Promise<Manifest> {
  const { workspace, dir } = of.run
  const [git, versions] = await Promise.all([
    lookAtGit(workspace),
    lookUpVersions({ cast: of.cast, env: of.env, workspace, runDir: dir }),
  ])
  const secrets = collectSecrets(process.env)
  return {
    runId: of.run.id,
    mode: of.mode,
    workspace,
    eventsFile: of.run.eventsFile,
    startedAt: of.run.startedAt,
    ralph: VERSION,
    platform: `${process.platform}-${process.arch}`,
    configFiles: of.files,
    config: redactDeep(of.settings, secrets),
    backends: of.backends,
    versions: redactDeep(versions, secrets),
    git: git === null ? null : { head: git.head.trim() || null, dirty: git.files.size > 0 },
  }
}

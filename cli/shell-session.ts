import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import type { ConsolaInstance } from 'consola/core'
import { createLook } from '../core/backend/look.ts'
import type { Registry } from '../core/backend/registry.ts'
import type { Blob, ReadBlob } from '../core/blob.ts'
import type { Loaded } from '../core/config/load.ts'
import type { Settings } from '../core/config/settings.ts'
import { collectSecrets } from '../core/secrets.ts'
import { backendsInUse, type Cast, castHats } from './cast.ts'
import { loadConfiguration } from './configuration.ts'
import { given } from './given.ts'
import { createLog } from './log.ts'
import { writeErr, writeOut } from './stdout.ts'
import { lookAtTerminal, type Terminal } from './terminal.ts'
import { settleTrust } from './trust/settle.ts'
import { decideVerbosity } from './verbosity.ts'
import { plainView } from './view/plain.ts'
import { renderPrompt } from './view/prompt.ts'
import { waveRunView } from './view/wave-run.ts'
import { withoutSecrets } from './view/without-secrets.ts'
import type { ShellWaveRequest } from './world/open-shell-wave.ts'
import { startWaveRun } from './world/start.ts'

/** What every command that plays a wave from the shell is told. */
export interface ShellFlags {
  readonly config: readonly string[]
  readonly hats: string | undefined
  readonly backend: string | undefined
  readonly model: string | undefined
  readonly access: string | undefined
  readonly plugins: readonly string[]
  readonly trust: boolean
  readonly verbose: boolean
  /** Absent: false. */
  readonly quiet?: boolean
  readonly color: string | undefined
}

/** The configuration of a wave from the shell, once the user's word for it is there. */
export interface ShellSession {
  readonly settings: Settings
  readonly loaded: Loaded
  readonly registry: Registry
  readonly terminal: Terminal
  readonly log: ConsolaInstance
  readonly verbose: boolean
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Loads the configuration and settles trust; nothing is started. `jobs`: agents at once. */
export async function openShellSession(flags: ShellFlags, jobs: number): Promise<ShellSession> {
  const { env } = process
  const cwd = process.cwd()
  const terminal = lookAtTerminal(flags.color, env)
  const { loaded, registry: known } = await loadConfiguration({
    config: flags.config,
    hats: flags.hats,
    flags: given({ backend: flags.backend, model: flags.model, access: flags.access }),
    plugins: flags.plugins,
    cwd,
    env,
  })
  const verbosity = decideVerbosity({
    flags: { quiet: flags.quiet === true, verbose: flags.verbose },
    env,
    configured: loaded.settings.verbose,
  })
  const log = createLog({ paint: terminal.err, ...verbosity })
  for (const warning of loaded.warnings) log.warn(warning)

  const settings = shellSettings(loaded.settings, jobs)
  const registry = settleTrust({
    config: { settings, tree: loaded.tree },
    registry: known,
    backends: backendsInUse(settings),
    cwd,
    env,
    said: flags.trust,
    dryRun: false,
    flags,
    paint: terminal.err,
    warn: (text) => log.warn(text),
  })
  return { settings, loaded, registry, terminal, log, verbose: verbosity.verbose, cwd, env }
}

/** Who works on the items. `extraArgs`: words after `--`. */
export async function castShell(session: ShellSession, extraArgs: readonly string[]): Promise<Cast> {
  const { settings, registry, loaded, log, cwd, env } = session
  const cast = await castHats({
    settings,
    registry,
    extraArgs,
    cwd,
    look: createLook({ env, uid: process.getuid?.() ?? 0 }),
    tree: loaded.tree,
    needsEvents: false,
  })
  if (!cast.ok) throw cast.error
  if (cast.value.chosen !== null) log.info(cast.value.chosen)
  return cast.value
}

/** Plays the wave; its results go to stdout, in the order of its items. Gives the exit code. */
export async function playShellWave(
  session: ShellSession,
  wave: Pick<ShellWaveRequest, 'cast' | 'items' | 'template' | 'timeoutSeconds' | 'redriveOf'> & {
    readonly format: 'text' | 'jsonl'
  },
): Promise<number> {
  const { settings, loaded, terminal, cwd, env } = session
  const { format, ...request } = wave
  const secrets = collectSecrets(env)
  const unread = Promise.withResolvers<void>()
  const view = waveRunView({
    format,
    write: (text) => {
      if (!writeOut(text)) unread.resolve()
    },
    stdoutIsTerminal: terminal.stdoutIsTerminal,
    readBlob,
    readPieces,
    plain: plainView({
      write: writeErr,
      paint: terminal.err,
      columns: terminal.columns,
      quiet: true,
      intro: [],
      now: Date.now,
    }),
    close: (line) => writeErr(`${line}\n`),
    now: Date.now,
  })
  const report = withoutSecrets(view.report, secrets)
  const { exitCode } = await startWaveRun({
    ...request,
    settings,
    files: loaded.files,
    cwd,
    env,
    report: (event) => {
      // Nobody is shown it: the search for secrets can be spared.
      if (event.type !== 'wave_worker_text_delta') report(event)
    },
    onSettled: view.settled,
    unread: unread.promise,
    logPrompt: (title, prompt) => {
      if (session.verbose) writeErr(renderPrompt(title, secrets.text(prompt), terminal.err))
    },
  })
  view.finish()
  return exitCode
}

/** Hats play no part in a wave from the shell, and `-j` stands in place of `features.max_concurrency`. */
function shellSettings(settings: Settings, jobs: number): Settings {
  return { ...settings, hats: [], features: { ...settings.features, maxConcurrency: jobs } }
}

const readBlob: ReadBlob = (blob) => ('inline' in blob ? blob.inline : readFileSync(blob.path, 'utf8'))

/** Each piece is valid until the next one is taken. */
function* readPieces(blob: Blob): Generator<string | Uint8Array> {
  if ('inline' in blob) {
    yield blob.inline
    return
  }
  const fd = openSync(blob.path, 'r')
  try {
    const piece = Buffer.allocUnsafe(PIECE)
    for (let length = readSync(fd, piece); length > 0; length = readSync(fd, piece)) {
      yield piece.subarray(0, length)
    }
  } finally {
    closeSync(fd)
  }
}

/** Bytes. */
const PIECE = 64 * 1024

import { readFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import { createLook } from '../core/backend/look.ts'
import type { ReadBlob } from '../core/blob.ts'
import type { Settings } from '../core/config/settings.ts'
import { collectSecrets } from '../core/secrets.ts'
import type { Parsed } from './arguments.ts'
import { backendsInUse, castHats } from './cast.ts'
import type { WaveRunSpec } from './commands/wave-run.ts'
import { loadConfiguration } from './configuration.ts'
import { parseCount } from './count.ts'
import { given } from './given.ts'
import { itemFormat, parseItems } from './items.ts'
import { createLog } from './log.ts'
import { readPayloadFile, readStdin } from './payload.ts'
import { writeErr, writeOut } from './stdout.ts'
import { lookAtTerminal } from './terminal.ts'
import { settleTrust } from './trust/settle.ts'
import { decideVerbosity } from './verbosity.ts'
import { plainView } from './view/plain.ts'
import { renderPrompt } from './view/prompt.ts'
import { waveRunView } from './view/wave-run.ts'
import { withoutSecrets } from './view/without-secrets.ts'
import { startWaveRun } from './world/start.ts'

/** `ralph wave run`: each item an agent, without hats, marker or lock. Gives the exit code. */
export async function runShellWave({ flags, rest }: Parsed<WaveRunSpec>): Promise<number> {
  const jobs = parseCount('jobs', flags.jobs, 1) ?? 4
  const timeoutSeconds = parseCount('timeout', flags.timeout, 1) ?? 300
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
    flags: { quiet: false, verbose: flags.verbose },
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
  const file = flags['payloads-file']
  if (file === undefined && isatty(0)) writeErr('Items from this terminal, one a line; Ctrl-D ends them.\n')
  const text = file === undefined ? await readStdin() : readPayloadFile(file)
  const items = parseItems(text, itemFormat(flags)).map(({ payload }) => payload)
  if (items.length === 0) return 0

  const look = createLook({ env, uid: process.getuid?.() ?? 0 })
  const cast = await castHats({
    settings,
    registry,
    extraArgs: rest,
    cwd,
    look,
    tree: loaded.tree,
    needsEvents: false,
  })
  if (!cast.ok) throw cast.error
  const secrets = collectSecrets(env)
  const unread = Promise.withResolvers<void>()
  const view = waveRunView({
    format: flags.output === 'jsonl' ? 'jsonl' : 'text',
    write: (text) => {
      if (!writeOut(text)) unread.resolve()
    },
    stdoutIsTerminal: terminal.stdoutIsTerminal,
    readBlob,
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
  const { exitCode } = await startWaveRun({
    settings,
    files: loaded.files,
    cast: cast.value,
    items,
    template: flags.prompt ?? null,
    timeoutSeconds,
    cwd,
    env,
    report: withoutSecrets(view.report, secrets),
    onSettled: view.settled,
    unread: unread.promise,
    logPrompt: (title, prompt) => {
      if (verbosity.verbose) writeErr(renderPrompt(title, secrets.text(prompt), terminal.err))
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

import { join } from 'node:path'
import { createLook } from '../core/backend/look.ts'
import { type RalphError, usageError } from '../core/errors.ts'
import { ok, type Result } from '../core/result.ts'
import type { RedriveWish } from '../core/run/redriven.ts'
import type { Report } from '../core/run-event.ts'
import { collectSecrets } from '../core/secrets.ts'
import type { Parsed } from './arguments.ts'
import { backendsInUse, castHats, type Part } from './cast.ts'
import type { RunSpec } from './commands/run.ts'
import { loadConfiguration } from './configuration.ts'
import { parseCount } from './count.ts'
import { forecast } from './forecast.ts'
import { given } from './given.ts'
import { createLog } from './log.ts'
import { checkObjectiveFlags, type Objective, type ObjectiveRequest, resolveObjective } from './objective.ts'
import { processStdin } from './stdin.ts'
import { writeErr, writeOut } from './stdout.ts'
import { lookAtTerminal } from './terminal.ts'
import { settleTrust } from './trust/settle.ts'
import { decideVerbosity } from './verbosity.ts'
import { createDiagnostics } from './view/diagnostics.ts'
import { renderDryRun } from './view/dry-run.ts'
import { fanOut } from './view/fan-out.ts'
import { renderIntro } from './view/intro.ts'
import { jsonView } from './view/json.ts'
import { plainView } from './view/plain.ts'
import { renderPrompt } from './view/prompt.ts'
import { resultView } from './view/result.ts'
import { withoutSecrets } from './view/without-secrets.ts'
import { filterEnvironment } from './world/environment.ts'
import { startRun } from './world/start.ts'

/**
 * `ralph run`: config, objective and backends are settled before anything is started or written. Gives the exit code.
 * With `redrive` it goes on with the run that is named, and has a part of a wave run again first.
 */
export async function runLoop(
  { flags, positionals, rest }: Pick<Parsed<RunSpec>, 'flags' | 'positionals' | 'rest'>,
  redrive?: RedriveWish,
): Promise<number> {
  checkFlags(flags)
  const earlier = namedRun(flags, positionals)
  const { env } = process
  const cwd = process.cwd()
  const terminal = lookAtTerminal(flags.color, env)
  const { loaded, registry: known } = await loadConfiguration({
    config: flags.config,
    hats: flags.hats,
    flags: configFlags(flags),
    plugins: flags.plugins,
    cwd,
    env,
  })
  const { settings } = loaded
  const verbosity = decideVerbosity({ flags, env, configured: settings.verbose })
  const log = createLog({ paint: terminal.err, ...verbosity })
  for (const warning of loaded.warnings) log.warn(warning)
  for (const flag of INEFFECTIVE) {
    if (flags[flag]) log.warn(`--${flag}: accepted for compatibility, has no effect here`)
  }

  const registry = settleTrust({
    config: loaded,
    registry: known,
    backends: backendsInUse(settings),
    cwd,
    env,
    said: flags.trust,
    dryRun: flags['dry-run'],
    flags,
    paint: terminal.err,
    warn: (text) => log.warn(text),
  })
  const uid = process.getuid?.() ?? 0
  const look = createLook({ env, uid })
  const cast = await castHats({ settings, registry, extraArgs: rest, cwd, look, tree: loaded.tree })
  if (!cast.ok) throw cast.error
  for (const warning of cast.value.warnings) log.warn(warning)
  if (cast.value.chosen !== null) log.info(cast.value.chosen)
  const secrets = collectSecrets(env)
  const objective = await objectiveFor(redrive, {
    flags: { prompt: flags.prompt, promptFile: flags['prompt-file'] },
    config: settings.eventLoop,
    continued: flags.continue,
    cwd,
    stdin: processStdin(),
    note: (text) => log.warn(text),
  })
  if (flags['dry-run']) {
    const whole = Object.fromEntries(
      Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
    )
    const around = ({ backend }: Part) => ({
      cwd,
      env: filterEnvironment(whole, settings.cli.env, backend.traits.env),
    })
    const plan = { settings, cast: cast.value, objective: ifAny(objective), around }
    writeOut(secrets.text(renderDryRun(plan, terminal.out)))
    return 0
  }
  if (!objective.ok) throw objective.error
  for (const warning of forecast(settings, cast.value, look)) log.warn(warning)

  const diagnostics =
    env.RALPH_DIAGNOSTICS === '1'
      ? createDiagnostics({
          root: join(cwd, '.ralph', 'diagnostics'),
          now: Date.now,
          onFault: (message) => log.warn(message),
        })
      : null
  const stdout = flags.json
    ? jsonView(writeOut)
    : resultView({ write: writeOut, isTerminal: terminal.stdoutIsTerminal })
  let stdoutFailed = false
  const views: readonly Report[] = [
    plainView({
      write: writeErr,
      paint: terminal.err,
      columns: terminal.columns,
      quiet: verbosity.quiet,
      intro: renderIntro(cast.value, settings, terminal.err).map(secrets.text),
      now: Date.now,
    }),
    stdout,
    ...(diagnostics === null ? [] : [diagnostics.report]),
  ]
  const { exitCode } = await startRun({
    settings,
    files: loaded.files,
    cast: cast.value,
    objective: objective.value,
    flags: {
      continue: flags.continue,
      loopId: earlier,
      totalLimits: flags['total-limits'],
      exclusive: flags.exclusive,
    },
    ...(redrive === undefined ? {} : { redrive }),
    cwd,
    env,
    report: withoutSecrets(
      fanOut(views, (message, view) => {
        stdoutFailed ||= view === stdout
        log.warn(view === stdout ? `${message} (stdout)` : message)
      }),
      secrets,
    ),
    logPrompt: (title, text) => {
      const shown = secrets.text(text)
      diagnostics?.logPrompt(title, shown)
      if (verbosity.verbose) writeErr(renderPrompt(title, shown, terminal.err))
    },
  })
  // Who waits for the result must learn that it is not there.
  return stdoutFailed && exitCode === 0 ? 1 : exitCode
}

/** A wave that runs again is of the objective that the run has kept: stdin has nothing to say to it. */
async function objectiveFor(
  redrive: RedriveWish | undefined,
  request: ObjectiveRequest,
): Promise<Result<Objective, RalphError>> {
  return redrive === undefined ? resolveObjective(request) : ok({ text: '', source: 'kept' })
}

type Flags = Parsed<RunSpec>['flags']

/** Usage errors that need no config. */
function checkFlags(flags: Flags): void {
  checkObjectiveFlags({ prompt: flags.prompt, promptFile: flags['prompt-file'] })
  for (const flag of REPLACED) {
    if (flags[flag])
      throw usageError(`--${flag} is not available`, 'use --json: run events as NDJSON on stdout')
  }
  if (flags['loop-id'] !== undefined && !flags.continue) {
    throw usageError('--loop-id names a run to go on with', 'add --continue')
  }
}

/** The run that `--continue` is to go on with, if one is named. Throws a usage error. */
function namedRun(flags: Flags, [run]: readonly string[]): string | undefined {
  const id = flags['loop-id']
  if (run === undefined) return id
  if (!flags.continue) {
    throw usageError(
      `unexpected argument '${run}'`,
      'An objective is given with -p TEXT; a run to go on with, with --continue RUN. See ralph run --help.',
    )
  }
  if (id !== undefined && id !== run) {
    throw usageError(`--loop-id ${id} and ${run} name two runs`, 'name one to go on with')
  }
  return run
}

const REPLACED = ['rpc', 'record-session'] as const
const INEFFECTIVE = ['idle-timeout', 'legacy-tui'] as const

function configFlags(flags: Flags) {
  const { prompt, backend, model, access } = flags
  return given({
    prompt,
    promptFile: flags['prompt-file'],
    backend,
    model,
    access,
    maxIterations: parseCount('max-iterations', flags['max-iterations']),
    completionPromise: flags['completion-promise'],
  })
}

/** A dry run shows the plan without an objective too; a faulty one is an error there as well. */
function ifAny(objective: Result<Objective, RalphError>): Objective | null {
  if (objective.ok) return objective.value
  if (objective.error.code === 'objective_none') return null
  throw objective.error
}

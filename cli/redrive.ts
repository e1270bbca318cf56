import { basename, dirname, join } from 'node:path'
import { RalphError, usageError } from '../core/errors.ts'
import type { Manifest } from '../core/journal/journal.ts'
import { readManifest } from '../core/journal/read.ts'
import type { Selection } from '../core/wave/redrive.ts'
import { type Parsed, parseArguments } from './arguments.ts'
import { RUN_FLAGS } from './commands/run.ts'
import type { WaveRedriveSpec } from './commands/wave-redrive.ts'
import { parseIndices } from './indices.ts'
import { runLoop } from './loop.ts'
import { redriveShellWave } from './redrive-shell.ts'
import { findWave, unknownWave } from './wave-results.ts'

export type RedriveFlags = Parsed<WaveRedriveSpec>['flags']

/** A kept run, and the wave of it that is meant. */
export interface WaveOfRun {
  readonly wave: string
  readonly runId: string
  readonly dir: string
  readonly manifest: Manifest
}

/** `ralph wave redrive`: parts of a finished wave run again, of a loop or from the shell. Gives the exit code. */
export async function redriveWave({ flags, positionals, rest }: Parsed<WaveRedriveSpec>): Promise<number> {
  const [wave = ''] = positionals
  const selection: Selection = {
    failed: flags.failed,
    only: flags.only === undefined ? null : parseIndices('only', flags.only),
  }
  const found = findRun(wave)
  if (found.manifest.mode === 'wave') {
    if (flags.exclusive) throw usageError('--exclusive is for waves of a loop', `${wave} is from the shell`)
    return redriveShellWave({ flags, rest, selection, found })
  }
  for (const flag of ['jobs', 'timeout'] as const) {
    if (flags[flag] !== undefined) {
      throw usageError(`--${flag} is for waves of \`ralph wave run\``, `the config says it for ${wave}`)
    }
  }
  return runLoop({ flags: loopFlags(flags, found.runId), positionals: [], rest }, { wave, selection })
}

function findRun(wave: string): WaveOfRun {
  const folder = findWave({ env: process.env, cwd: process.cwd() }, wave)
  if (folder === null) throw unknownWave(wave)
  const dir = dirname(dirname(folder))
  try {
    return { wave, dir, runId: basename(dir), manifest: readManifest(join(dir, 'journal.jsonl')) }
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    throw new RalphError(error.code, `wave ${wave} cannot run again: ${error.message}`, { cause: error })
  }
}

const RUN_SPEC = { name: 'run', summary: '', examples: [], positionals: [], flags: RUN_FLAGS } as const

/** As `ralph run --continue --loop-id` has them. */
function loopFlags(flags: RedriveFlags, runId: string): Parameters<typeof runLoop>[0]['flags'] {
  const { flags: none } = parseArguments(RUN_SPEC, [])
  const { config, hats, verbose, color, backend, model, access, plugins, trust, exclusive, json, quiet } =
    flags
  const same = {
    config,
    hats,
    verbose,
    color,
    backend,
    model,
    access,
    plugins,
    trust,
    exclusive,
    json,
    quiet,
  }
  return { ...none, ...same, continue: true, 'loop-id': runId }
}

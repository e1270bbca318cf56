import { RalphError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { findAllRuns, isOfWorkspace, type KnownRun } from './known-runs.ts'

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * The run that a word names: its id, or the beginning of it or of its last part, as long as only one run fits. Runs of this
 * workspace come first. Throws `run_ambiguous`, which lists them, or `no_run`, with the nearest name.
 */
export function pickRun(place: Place, word: string): KnownRun {
  return pickAmong(findAllRuns(place), word, place.cwd)
}

/** The same among runs that are known already. */
export function pickAmong(all: readonly KnownRun[], word: string, cwd: string): KnownRun {
  const exact = all.find((run) => run.id === word)
  if (exact !== undefined) return exact
  const fitting = all.filter((run) => fits(run.id, word))
  const here = fitting.filter((run) => isOfWorkspace(run, cwd))
  const candidates = here.length > 0 ? here : fitting
  const [only] = candidates
  if (only === undefined) throw unknownRun(all, word)
  if (candidates.length > 1) throw ambiguous(candidates, word)
  return only
}

function fits(id: string, word: string): boolean {
  return word !== '' && (id.startsWith(word) || (id.split('-').at(-1) ?? '').startsWith(word))
}

function unknownRun(all: readonly KnownRun[], word: string): RalphError {
  const guess = nearest(
    word,
    all.map((run) => run.id),
  )
  return new RalphError('no_run', `there is no run '${word}'`, {
    hint: guess === null ? '`ralph runs --all` lists those that are kept' : `did you mean ${guess}?`,
  })
}

function ambiguous(candidates: readonly KnownRun[], word: string): RalphError {
  const ids = candidates.map((run) => run.id).sort()
  const more = ids.length > LISTED ? `, and ${ids.length - LISTED} more` : ''
  return new RalphError('run_ambiguous', `'${word}' fits ${ids.length} runs`, {
    hint: `name one of ${ids.slice(-LISTED).join(', ')}${more}`,
  })
}

const LISTED = 8

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Finished, Sandbox } from '../helpers/sandbox.ts'
import { played, prompt, rows, rundir, runEvents } from './fixtures.ts'

/** The prompts of one part in order of its starts: a hat, `ralph` (the coordinator), or a worker such as `work:1`. */
export const promptsOf = (box: Sandbox, who: string): string[] =>
  played(box).flatMap((name, i) => (name === who ? [prompt(box, i + 1)] : []))

/** The first of them. */
export const promptOf = (box: Sandbox, who: string): string => {
  const [first] = promptsOf(box, who)
  if (first === undefined) throw new Error(`${who} was never started; played: ${played(box).join(' ')}`)
  return first
}

/** The parts that were played, sorted: for workers that start at the same time. */
export const cast = (box: Sandbox): string[] => played(box).sort()

/** The ids of the last run's waves, oldest first. */
export const waves = (box: Sandbox): string[] =>
  box.exists(rundir(box, 'waves')) ? readdirSync(box.path(rundir(box, 'waves'))).sort() : []

/** The id of its only wave. */
export const theWave = (box: Sandbox): string => {
  const [id, ...others] = waves(box)
  if (id === undefined || others.length > 0)
    throw new Error(`there is not one wave, but ${waves(box).length}`)
  return id
}

/** What `outcome.json` says of an item. */
export interface Outcome {
  readonly hat: string
  readonly status: string
  readonly reason: string | null
  readonly duration_ms: number
  readonly timeout_seconds?: number
  readonly attempts: number
  readonly from?: string
  readonly remarks: readonly string[]
}

/** The outcome of an item of the only wave, or of the one that is named. */
export const outcome = (box: Sandbox, index: number, wave = theWave(box)): Outcome =>
  JSON.parse(box.read(rundir(box, 'waves', wave, String(index), 'outcome.json'))) as Outcome

/** Whether an item got so far as to have an outcome. */
export const settled = (box: Sandbox, index: number): boolean =>
  box.exists(rundir(box, 'waves', theWave(box), String(index), 'outcome.json'))

/** The merged lines of the main events file. */
export const merged = (box: Sandbox, topic?: string): Record<string, unknown>[] =>
  rows(box, topic).filter((row) => row.wave_status !== undefined)

/** The run events of one type. */
export const told = (done: Finished, type: string): Record<string, unknown>[] =>
  runEvents(done).filter((event) => event.type === type)

/**
 * Bash for workers: `MEET name count` goes on only when so many have come to the same place, `AWAIT name` when `DONE name`
 * was said. Who waits in vain is ended by its timeout, so that a case needs no fixed waits.
 */
export const MEETING = `MEET() { : > "$NOTES/meet-$1-$RALPH_WAVE_INDEX$HAT"
  until [ "$(ls "$NOTES" | grep -c "^meet-$1-")" -ge "$2" ]; do sleep 0.02; done; }
DONE() { : > "$NOTES/done-$1"; }
AWAIT() { until [ -e "$NOTES/done-$1" ]; do sleep 0.02; done; }
`

/** Says `DONE name` from outside. */
export const release = (box: Sandbox, name: string): void =>
  writeFileSync(join(dirname(box.home), 'agent', `done-${name}`), '')

/** Bash that brackets `body` so that `mostAlive` can tell how many ran at once. */
export const counted = (body: string): string => `echo + >> alive\n${body}\necho - >> alive`

/** The most workers that were alive at once. */
export const mostAlive = (box: Sandbox): number => {
  let alive = 0
  let most = 0
  for (const mark of box.read('alive').trim().split('\n')) {
    alive += mark === '+' ? 1 : -1
    most = Math.max(most, alive)
  }
  return most
}

/** The events files and rules of workers that lie in the workspace. */
export const workerFiles = (box: Sandbox): string[] =>
  readdirSync(box.path('.ralph'))
    .filter((name) => name.startsWith('wave-'))
    .sort()

/** Living processes that carry this text in their environment (Linux). */
export const carriers = (text: string): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && carries(name, text) ? [Number(name)] : []))

function carries(pid: string, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(text)
  } catch {
    return false
  }
}

/** True for a process that has not ended; one that waits to be reaped has. */
export const isAlive = (pid: number): boolean => {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return false
  try {
    return !/\) [ZX] /.test(readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}
